package main

import "testing"

func TestPagesAreWhereTheInterfaceIs(t *testing.T) {
	tests := []struct{ base, oaiURL, want string }{
		{"http://repo.example.edu", "http://repo.example.edu/oai", "http://repo.example.edu"},
		{"http://repo.example.edu", "https://Repo.example.edu/oai", "https://repo.example.edu"},
		{"https://repo.example.edu", "http://repo.example.edu/oai", "https://repo.example.edu"},
		{"http://repo.example.edu", "https://oai.example.edu/oai", "http://repo.example.edu"},
		{"http://repo.example.edu:8080", "https://repo.example.edu/oai", "http://repo.example.edu:8080"},
	}
	for _, tt := range tests {
		got, err := publicAddress(tt.base, tt.oaiURL)
		if err != nil || got.String() != tt.want {
			t.Errorf("pages at %s, interface at %s: want %s, got %v (%v)", tt.base, tt.oaiURL, tt.want, got, err)
		}
	}
}
