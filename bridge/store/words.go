package store

import (
	"encoding/binary"
	"sync"

	"fingerpost/bridge/store/engine"
)

// Bounds of the memory that words take where every record has a set of its own.
const (
	maxWords = 1 << 15
	maxWord  = 256 // bytes; a longer one is looked up each time
)

// words remembers committed words. They never change. A word is a metadata
// prefix or a setSpec: rows name it by its number.
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

// find returns the numbers of texts, by text; those of unknown words are left out.
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

// read returns the words of lists that appendWords made.
func (w *words) read(rows engine.Rows, repository string, lists ...[]byte) ([][]string, error) {
	numbers := make([][]int64, len(lists))
	texts := map[int64]string{}
	var missing []int64
	for i, list := range lists {
		for len(list) > 0 {
			v, n := binary.Uvarint(list)
			if n <= 0 {
				return nil, damaged("a list of words")
			}
			list = list[n:]
			number := int64(v)
			numbers[i] = append(numbers[i], number)
			if _, met := texts[number]; met {
				continue
			}
			text, ok := w.text(repository, number)
			if texts[number] = text; !ok {
				missing = append(missing, number)
			}
		}
	}
	if err := w.fill(rows, repository, texts, missing); err != nil {
		return nil, err
	}
	out := make([][]string, len(lists))
	for i := range numbers {
		for _, n := range numbers[i] {
			out[i] = append(out[i], texts[n])
		}
	}
	return out, nil
}

// fill reads the words that are missing in texts.
func (w *words) fill(rows engine.Rows, repository string, texts map[int64]string, missing []int64) error {
	if len(missing) == 0 {
		return nil
	}
	list, err := rows.Words(missing)
	if err != nil {
		return err
	}
	if len(list) < len(missing) {
		return damaged("a word of repository %s", repository)
	}
	for _, v := range list {
		texts[v.ID] = v.Text
	}
	w.learn(repository, list)
	return nil
}

func appendWord(list []byte, number int64) []byte {
	return binary.AppendUvarint(list, uint64(number))
}
