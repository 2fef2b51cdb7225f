package server

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/klauspost/compress/s2"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/server/answers"
)

// mostNoted is of how many changed objects the names are noted beside a file
// of answers: that takes a fraction of a second.
const mostNoted = 1 << 14

// phrasesFrom is of how many objects the headers show what they have in common.
const phrasesFrom = 8

// Prepare sees to it that there is a file of finished answers for the lookup.
// It makes the file if there is none, or if it is not of this program, of
// these settings and, but for one object in a hundred, of what the store
// holds. That is half a minute's work for a million objects, on one core,
// beside which everything else goes on. Program names the program: one that
// may say something else of the same object has another name. One Prepare is
// under way at a time.
func (s *Server) Prepare(ctx context.Context, file, program string) error {
	if _, err := s.snapshot(ctx); err != nil {
		return err
	}
	p := s.prepared.Load()
	if p == nil {
		p, _ = openPrepared(file) // whatever is wrong with it, it is made anew
	}
	if p != nil && p.Program == program {
		if kept, err := s.adopt(ctx, p, min(p.Objects/100, mostNoted)); kept || err != nil {
			return err
		}
	}
	if err := s.makeAnswers(ctx, file, program); err != nil {
		return fmt.Errorf("make the file of answers %s: %w", file, err)
	}
	p, err := openPrepared(file)
	if err != nil {
		return err
	}
	_, err = s.adopt(ctx, p, mostNoted) // with more changes meanwhile it is for the next time
	return err
}

// makeAnswers writes the file, with what stands in the store from now on.
func (s *Server) makeAnswers(ctx context.Context, file, program string) error {
	table, err := answers.Create(file)
	if err != nil {
		return err
	}
	defer table.Discard()
	m := maker{Server: s, table: table, edition: edition{Program: program}}
	if err := m.addAll(ctx, s.latest.Load()); err != nil {
		return err
	}
	about, err := json.Marshal(m.edition)
	if err != nil {
		return err
	}
	if err := table.Publish(about); err != nil {
		return err
	}
	s.Log.Info("answers: the file is made", "file", file, "objects", m.Objects)
	return nil
}

// maker writes the answers of one repository after the other.
type maker struct {
	*Server
	table *answers.Writer
	edition

	repository *repository // nil if it is not published
	phrases    *s2.Dict
	value      []byte
	packed     []byte
}

// addAll adds the published repositories, and those that are kept without:
// the store may find their objects first.
func (m *maker) addAll(ctx context.Context, now *snapshot) error {
	kept, err := m.store.Repositories(ctx)
	if err != nil {
		return err
	}
	for _, r := range now.order {
		if err := m.addRepository(ctx, r.ID, r); err != nil {
			return err
		}
	}
	for _, r := range kept {
		if now.repositories[r.ID] != nil {
			continue
		}
		if err := m.addRepository(ctx, r.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) addRepository(ctx context.Context, id string, r *repository) error {
	m.repository = r
	of, err := m.stateOf(ctx, id)
	if err != nil {
		return err
	}
	if r != nil {
		of.Settings = r.settings
		if of.Phrases, err = m.commonPhrases(ctx); err != nil {
			return err
		}
		m.phrases = s2.NewDict(of.Phrases)
	}
	m.Repositories = append(m.Repositories, of)
	for o, err := range m.store.Objects(ctx, id, 0) {
		if err != nil {
			return err
		}
		if err := m.add(o); err != nil {
			return err
		}
		m.Objects++
		runtime.Gosched() // whoever asks meanwhile goes first
	}
	return m.noteRun(ctx, &m.Repositories[len(m.Repositories)-1])
}

// noteRun notes the newest run, when all is read that it could have brought.
func (m *maker) noteRun(ctx context.Context, of *editionOf) error {
	runs, err := m.store.Runs(ctx, of.ID, 1)
	for _, r := range runs {
		of.Run, of.Started = r.ID, r.Started
	}
	return err
}

// stateOf is what the file will be of, at least.
func (m *maker) stateOf(ctx context.Context, id string) (editionOf, error) {
	of := editionOf{ID: id}
	modified, err := m.store.Modified(ctx, id)
	if err != nil {
		return of, err
	}
	for o, err := range m.store.Changed(ctx, id, modified-1) {
		of.Newest, of.Modified = o.Key, o.Modified
		return of, err
	}
	return of, nil
}

// commonPhrases is a dictionary for the repository's answers, from some of them.
func (m *maker) commonPhrases(ctx context.Context) ([]byte, error) {
	sample, err := m.store.Sample(ctx, m.repository.ID, phrasesFrom)
	if err != nil {
		return nil, err
	}
	text := []byte(`<https://>;rel="type",<https://>;rel="cite-as",<https://>;rel="license"`)
	for _, identifier := range sample {
		o, err := m.store.ByIdentifier(ctx, m.repository.ID, identifier)
		if err != nil {
			continue // it went, or was never mapped
		}
		links := m.signpost(m.repository, o)
		for _, item := range o.Items[:min(1, len(o.Items))] {
			text = append(text, m.repository.inHeader(links.From(contextOf(o, item.URL)))...)
		}
		text = append(text, m.repository.inHeader(links.From(anchor(o.LandingPage.URL)))...)
	}
	return s2.MakeDict(text, nil).Bytes(), nil
}

// add adds all by which an object is found.
func (m *maker) add(o store.Object) error {
	page, contexts := contextsOf(o)
	links := map[string]linkset.LinkSet{}
	if m.repository != nil {
		for _, l := range m.signpost(m.repository, o) {
			links[l.Anchor] = append(links[l.Anchor], l)
		}
	}
	for n, context := range contexts {
		if err := m.table.Add(n, m.valueOf(o, n, page, links[context], context == contexts[page])); err != nil {
			return err
		}
	}
	return nil
}

// valueOf is what the file has for a name of an object.
func (m *maker) valueOf(o store.Object, n, page name, links linkset.LinkSet, asPage bool) []byte {
	if len(links) == 0 {
		return nil
	}
	m.value = binary.AppendUvarint(m.value[:0], uint64(len(m.Repositories)-1))
	if asPage && n != page {
		return binary.BigEndian.AppendUint64(m.value, uint64(page))
	}
	header := m.repository.inHeader(links)
	if header == "" || len(header) > answers.MaxValue/2 {
		return nil
	}
	m.packed = m.phrases.Encode(m.packed, []byte(header))
	m.value = binary.BigEndian.AppendUint64(m.value, uint64(answers.NameOf(o.Key)))
	return append(m.value, m.packed...)
}

// contextsOf returns the context of the links of each URL by which an object
// is found, as contextOf would, and which of these is the landing page.
func contextsOf(o store.Object) (page name, contexts map[name]string) {
	own := anchor(o.LandingPage.URL)
	page = nameOfURL(o.LandingPage.URL)
	contexts = map[name]string{}
	if o.LandingPage.URL != "" {
		contexts[page] = own
	}
	for _, item := range o.Items {
		n := nameOfURL(item.URL)
		if _, known := contexts[n]; known {
			continue
		}
		if target, err := linkset.Target(item.URL); err == nil {
			contexts[n] = target
		}
	}
	for _, uri := range o.URLs() {
		if n := nameOfURL(uri); contexts[n] == "" {
			contexts[n] = own
		}
	}
	return page, contexts
}
