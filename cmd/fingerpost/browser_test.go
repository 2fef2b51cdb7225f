package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a tab of a real browser, which notes what must not happen.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	at         *url.URL // the page under test
	complaints []string
}

// openBrowser starts chromium. Its user lives in India, half an hour off most
// time zones.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("FINGERPOST_AXE") != "" {
			t.Fatal("chromium is not installed")
		}
		t.Skip("no browser is here: install chromium, such as Debian's package of this name")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	b := &browser{t: t, ctx: ctx}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); closeTab(); stop() })
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	called(b, emulation.SetTimezoneOverride.Method, func() error {
		_, err := chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"})
		return err
	})
	return b
}

func called(b *browser, what string, call func() error) {
	b.t.Helper()
	if err := call(); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// note notes requests to other hosts, and what the browser complains about.
func (b *browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || b.at != nil && u.Host != b.at.Host && u.Scheme != "chrome" {
			b.complaints = append(b.complaints, "a request to "+e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "an exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, fmt.Sprintf("the console says %s", e.Type))
	case *cdplog.EventEntryAdded:
		if b.at == nil || e.Entry.URL != b.at.String() || e.Entry.Source != cdplog.EntrySourceNetwork { // the status of the page itself
			b.complaints = append(b.complaints, fmt.Sprintf("the console says: %s %s", e.Entry.Text, e.Entry.URL))
		}
	}
}

// open opens a page.
func (b *browser) open(address string) {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	b.at = u
	b.mu.Unlock()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatalf("open %s: %v", address, err)
	}
}

// complained returns what was noted since the last call.
func (b *browser) complained() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.complaints
	b.complaints = nil
	return out
}

// js is the value of an expression in the page.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %.200s: %v", b.at, expression, err)
	}
	return value
}

// waitFor waits until an expression is true in the page. Until then it may fail.
func (b *browser) waitFor(expression string) {
	b.t.Helper()
	tried := "(() => { try { return " + expression + " } catch { return false } })()"
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](tried, chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		b.t.Fatalf("%s: %s does not become true: %v\n%s", b.at, expression, err, js[string](b, "document.body.innerText"))
	}
}

// leave presses keys that lead to another page, and waits for that.
func (b *browser) leave(keys string) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatalf("leave %s: %v", b.at, err)
	}
}

func (b *browser) press(keys string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatal(err)
	}
}

// shape is how a page is shown.
type shape struct {
	width  int64
	scheme string // light or dark
	media  string // "" or print
}

func (s shape) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%d-%s-%s", s.width, s.scheme, s.media), "-")
}

func (b *browser) show(s shape) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(s.width, 900)); err != nil {
		b.t.Fatal(err)
	}
	called(b, "media", func() error {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: s.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}},
		})
		return err
	})
}

// axe reads the accessibility checker that FINGERPOST_AXE names; "" if it names
// none.
func axe(t *testing.T) string {
	file := os.Getenv("FINGERPOST_AXE")
	if file == "" {
		return ""
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// runAxe is what axe finds against WCAG 2.2 AA.
const runAxe = `axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
	.then(r => r.violations.map(v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | ')))`

// sideways is what makes a page scroll sideways.
const sideways = `(() => {
	const page = document.scrollingElement
	if (page.scrollWidth <= page.clientWidth) return []
	const wide = [...document.body.querySelectorAll('*')].filter(e => !e.closest('.wide, pre') && e.getBoundingClientRect().right > page.clientWidth + 1)
	return ['it scrolls sideways: ' + wide.slice(-3).map(e => e.outerHTML.slice(0, 200)).join(' | ')]
})()`

// photograph writes pictures of the page to the folder that make screenshots
// names.
func (b *browser) photograph(name string) {
	b.t.Helper()
	folder, quality := os.Getenv("FINGERPOST_SCREENSHOTS"), int64(80)
	if folder == "" {
		return
	}
	for _, s := range shapes {
		b.show(s)
		shot, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%s.webp", name, s)), shot.Data, 0o666)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}
