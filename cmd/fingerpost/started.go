package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"fingerpost/config"
)

// started is how `serve` was started last, kept in the data folder. From it the
// other commands know what flags and environment of `serve` said.
type started struct {
	Config    string `json:"config,omitempty"` // the configuration file
	Listen    string `json:"listen"`
	PublicURL string `json:"public_url,omitempty"`
}

const startedFile = "serve.json"

// keepStarted writes how serve was started, and with which file if with one.
func keepStarted(c config.Config, configFile string) error {
	now := started{Listen: c.Listen}
	if !onThisMachine(c.PublicURL) { // else it follows from listen
		now.PublicURL = c.PublicURL
	}
	if configFile != "" {
		var err error
		if now.Config, err = filepath.Abs(configFile); err != nil {
			return err
		}
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	file := filepath.Join(c.Data, startedFile)
	if err := os.WriteFile(file+".new", append(text, '\n'), 0o640); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// startedIn reads how serve was started with a data folder. It returns nothing
// if the file cannot be read: serve was never started, or something is wrong
// with the folder, which is reported when the database is opened.
func startedIn(folder string) (s started, err error) {
	file := filepath.Join(folder, startedFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return started{}, nil
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return started{}, fmt.Errorf("%s does not say how serve was started (%w): remove it and restart the gateway", file, err)
	}
	return s, nil
}

// asStarted completes what a command was told by what serve was told.
func asStarted(c config.Config) (config.Config, error) {
	s, err := startedIn(c.Data)
	if err == nil {
		c.Assume(s.Listen, s.PublicURL)
	}
	return c, err
}
