package store

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"fingerpost/bridge/store/engine"
)

// Bounds of the memory for words: every record may have a set of its own.
const (
	maxWords = 1 << 15
	maxWord  = 256 // bytes; a longer one is looked up each time
)

// words remembers the words that are stored, which never change. A word is a
// metadata prefix or a setSpec. Rows name it by its number.
type words struct {
	mu      sync.RWMutex
	numbers map[word]int64
	texts   map[wordNumber]string
}

type word struct{ repository, text string }

type wordNumber struct {
	repository string
	number     int64
}

func (w *words) number(repository, text string) (int64, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	n, ok := w.numbers[word{repository, text}]
	return n, ok
}

func (w *words) text(repository string, number int64) (string, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	text, ok := w.texts[wordNumber{repository, number}]
	return text, ok
}

func (w *words) learn(repository string, list []engine.Word) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range list {
		if len(v.Text) > maxWord {
			continue
		}
		if w.texts == nil || len(w.texts) >= maxWords {
			w.numbers, w.texts = map[word]int64{}, map[wordNumber]string{}
		}
		w.numbers[word{repository, v.Text}] = v.ID
		w.texts[wordNumber{repository, v.ID}] = v.Text
	}
}

// one returns the number of a text; 0 if it is no word.
func (w *words) one(rows engine.Rows, repository, text string) (int64, error) {
	if n, ok := w.number(repository, text); ok {
		return n, nil
	}
	numbers, err := w.find(rows, repository, text)
	return numbers[text], err
}

// find returns the numbers of texts, by text. It leaves out new words.
func (w *words) find(rows engine.Rows, repository string, texts ...string) (map[string]int64, error) {
	out := make(map[string]int64, len(texts))
	var missing []string
	for _, text := range texts {
		if n, ok := w.number(repository, text); ok {
			out[text] = n
		} else {
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	list, err := rows.WordsByText(missing)
	for _, v := range list {
		out[v.Text] = v.ID
	}
	w.learn(repository, list)
	return out, err
}

// read returns the words of a list.
func (w *words) read(rows engine.Rows, repository string, list []byte) ([]string, error) {
	numbers, err := readWords(list)
	if err != nil {
		return nil, err
	}
	var out []string
	var missing []int64
	for _, n := range numbers {
		text, ok := w.text(repository, n)
		if out = append(out, text); !ok {
			missing = append(missing, n)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	texts, err := w.fetch(rows, repository, missing)
	for i, n := range numbers {
		if text, ok := texts[n]; ok {
			out[i] = text
		}
	}
	return out, err
}

// fetch reads words from the database.
func (w *words) fetch(rows engine.Rows, repository string, numbers []int64) (map[int64]string, error) {
	found, err := rows.Words(numbers)
	if err != nil {
		return nil, err
	}
	w.learn(repository, found)
	texts := map[int64]string{}
	for _, v := range found {
		texts[v.ID] = v.Text
	}
	for _, n := range numbers {
		if _, ok := texts[n]; !ok {
			return nil, damaged("word %d of %s", n, repository)
		}
	}
	return texts, nil
}

// readWords returns the numbers in a list of words.
func readWords(list []byte) ([]int64, error) {
	numbers := make([]int64, 0, 8)
	for r := (valueReader{rest: list}); len(r.rest) > 0; {
		if numbers = append(numbers, int64(r.number())); r.damaged {
			return nil, damaged("a list of words")
		}
	}
	return numbers, nil
}

// appendWord adds a word to a list.
func appendWord(list []byte, number int64) []byte {
	return binary.AppendUvarint(list, uint64(number))
}

// number gives every word of a batch its number.
func (s *saving) number(b Batch) (err error) {
	texts := textsOf(b)
	if s.words, err = s.core.words.find(s.tx, s.repository, texts...); err != nil {
		return wrap(err, "look up words")
	}
	for _, text := range texts {
		if _, found := s.words[text]; found {
			continue
		}
		s.words[text] = s.head.NextWord
		s.newWords = append(s.newWords, engine.Word{ID: s.head.NextWord, Text: text})
		s.head.NextWord++
	}
	return nil
}

// textsOf returns the words in a batch, each once, in order.
func textsOf(b Batch) []string {
	texts := map[string]bool{}
	add := func(list ...string) {
		for _, text := range list {
			texts[clean(text)] = true
		}
	}
	for i := range b.Records {
		add(b.Records[i].Prefix)
		add(b.Records[i].Sets...)
	}
	for i := range b.Objects {
		add(b.Objects[i].Prefixes...)
		add(b.Objects[i].Sets...)
	}
	return slices.Sorted(maps.Keys(texts))
}

// list returns texts as a list of words.
func (s *saving) list(texts []string) []byte {
	list := make([]byte, 0, 2*len(texts))
	for _, text := range texts {
		list = appendWord(list, s.words[clean(text)])
	}
	return list
}
