package store

import (
	"encoding/json"
	"fmt"
	"math"

	"fingerpost/bridge/store/engine"
)

// everything is more documents than there are.
const everything = math.MaxInt32

func putDocument(tx engine.Tx, kind engine.Kind, name string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return tx.PutDocument(kind, engine.Document{Name: name, Value: value})
}

// readDocument reads a document into v and reports whether there is one.
func readDocument(rows engine.Rows, kind engine.Kind, name string, v any) (bool, error) {
	value, err := rows.Document(kind, name)
	if err != nil || value == nil {
		return false, err
	}
	return true, unmarshal(value, name, v)
}

// readDocuments reads up to n documents of a kind, the last by name first.
func readDocuments[T any](rows engine.Rows, kind engine.Kind, n int) ([]T, error) {
	list, err := rows.Documents(kind, n)
	if err != nil {
		return nil, err
	}
	var out []T
	for _, d := range list {
		var v T
		if err := unmarshal(d.Value, d.Name, &v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func unmarshal(value []byte, name string, v any) error {
	if err := json.Unmarshal(value, v); err != nil {
		return damaged("the document %q (%v)", name, err)
	}
	return nil
}
