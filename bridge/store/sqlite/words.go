package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// Bounds of the memory of a store in which every record has a set of its own.
const (
	maxWords = 1 << 15
	maxWord  = 256 // bytes; a longer one is looked up each time
)

// words knows the committed rows of the table of that name, which only grows.
type words struct {
	mu   sync.RWMutex
	ids  map[string]int64
	text map[int64]string
}

func (w *words) id(text string) (int64, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	id, ok := w.ids[text]
	return id, ok
}

func (w *words) word(id int64) (string, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	text, ok := w.text[id]
	return text, ok
}

func (w *words) learn(id int64, text string) {
	if len(text) > maxWord {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids == nil || len(w.ids) >= maxWords {
		w.ids, w.text = map[string]int64{}, map[int64]string{}
	}
	w.ids[text], w.text[id] = id, text
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readWord is the word with a number. What is read is committed, so that it
// may be remembered.
func (w *words) readWord(ctx context.Context, q querier, id int64) (string, error) {
	if text, ok := w.word(id); ok {
		return text, nil
	}
	var text string
	if err := q.QueryRowContext(ctx, `SELECT text FROM words WHERE id = ?`, id).Scan(&text); err != nil {
		return "", fmt.Errorf("read word %d: %w", id, err)
	}
	w.learn(id, text)
	return text, nil
}

// number is that of a word; 0 if there is no such word.
func (w *words) number(ctx context.Context, q querier, text string) (id int64, err error) {
	if id, ok := w.id(text); ok {
		return id, nil
	}
	err = q.QueryRowContext(ctx, `SELECT id FROM words WHERE text = ?`, text).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look up the word %q: %w", text, err)
	}
	w.learn(id, text)
	return id, nil
}

// readList is the words of a list made by appendList.
func (w *words) readList(ctx context.Context, q querier, list []byte) ([]string, error) {
	var out []string
	for len(list) > 0 {
		id, n := binary.Uvarint(list)
		if n <= 0 {
			return nil, errors.New("a list of words is damaged")
		}
		list = list[n:]
		text, err := w.readWord(ctx, q, int64(id))
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// lexicon gives words their numbers within a transaction. What it adds is
// learnt by everybody when the transaction has been committed.
type lexicon struct {
	*words
	tx    *sql.Tx
	added map[string]int64
}

func (l *lexicon) number(ctx context.Context, text string) (int64, error) {
	if id, ok := l.id(text); ok {
		return id, nil
	}
	if id, ok := l.added[text]; ok {
		return id, nil
	}
	var id int64
	err := l.tx.QueryRowContext(ctx, `INSERT INTO words (text) VALUES (?) ON CONFLICT DO UPDATE SET text = text RETURNING id`, text).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("number the word %q: %w", text, err)
	}
	if l.added == nil {
		l.added = map[string]int64{}
	}
	l.added[text] = id
	return id, nil
}

func (l *lexicon) list(ctx context.Context, texts []string) ([]byte, error) {
	list := []byte{}
	for _, text := range texts {
		id, err := l.number(ctx, text)
		if err != nil {
			return nil, err
		}
		list = binary.AppendUvarint(list, uint64(id))
	}
	return list, nil
}

func (l *lexicon) committed() {
	for text, id := range l.added {
		l.learn(id, text)
	}
}
