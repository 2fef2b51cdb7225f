package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/klauspost/compress/s2"

	"fingerpost/server/answers"
)

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
	if p != nil {
		if kept, err := s.adopt(ctx, p, program, min(p.Objects/100, s.mostRecent)); kept || err != nil {
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
	_, err = s.adopt(ctx, p, program, s.mostRecent) // with more changes meanwhile it is for the next time
	return err
}

// makeAnswers writes the file, with what stands in the store from now on.
func (s *Server) makeAnswers(ctx context.Context, file, program string) error {
	table, err := answers.Create(file)
	if err != nil {
		return err
	}
	defer table.Discard()
	of := edition{Program: program}
	if err := s.addAll(ctx, table, &of); err != nil {
		return err
	}
	about, err := json.Marshal(of)
	if err != nil {
		return err
	}
	if err := table.Publish(about); err != nil {
		return err
	}
	s.Log.Info("answers: the file is made", "file", file, "objects", of.Objects)
	return nil
}

// addAll adds the published repositories.
func (s *Server) addAll(ctx context.Context, table *answers.Writer, of *edition) error {
	for _, r := range s.latest.Load().order {
		if err := s.addRepository(ctx, table, of, r); err != nil {
			return err
		}
	}
	return nil
}

// addRepository adds the objects of a repository.
func (s *Server) addRepository(ctx context.Context, table *answers.Writer, all *edition, r *repository) error {
	of, err := s.stateOf(ctx, r)
	if err != nil {
		return err
	}
	if of.Phrases, err = s.commonPhrases(ctx, r); err != nil {
		return err
	}
	m := s.maker(len(all.Repositories), of, r)
	for o, err := range s.store.Objects(ctx, r.ID, 0) {
		if err != nil {
			return err
		}
		for n, value := range m.answers(o) {
			if err := table.Add(n, value); err != nil {
				return err
			}
		}
		all.Objects++
		runtime.Gosched() // whoever asks meanwhile goes first
	}
	if err := s.noteRun(ctx, &of); err != nil {
		return err
	}
	all.Repositories = append(all.Repositories, of)
	return nil
}

// noteRun notes the newest run, when all is read that it could have brought.
func (s *Server) noteRun(ctx context.Context, of *editionOf) error {
	runs, err := s.store.Runs(ctx, of.ID, 1)
	for _, r := range runs {
		of.Run, of.Started = r.ID, r.Started
	}
	return err
}

// stateOf is what the file will be of, at least.
func (s *Server) stateOf(ctx context.Context, r *repository) (editionOf, error) {
	of := editionOf{ID: r.ID, Settings: r.settings}
	modified, err := s.store.Modified(ctx, r.ID)
	if err != nil {
		return of, err
	}
	for o, err := range s.store.Changed(ctx, r.ID, modified-1) {
		of.Newest, of.Modified = o.Key, o.Modified
		return of, err
	}
	return of, nil
}

// commonPhrases is a dictionary for a repository's answers, from some of them:
// of each object those of the page, of a file and of its metadata. What comes
// last is found first, and answers are expected to begin as the last one does.
func (s *Server) commonPhrases(ctx context.Context, r *repository) ([]byte, error) {
	sample, err := s.store.Sample(ctx, r.ID, phrasesFrom)
	if err != nil {
		return nil, err
	}
	text := []byte(`<https://>;rel="type",<https://>;rel="cite-as",<https://>;rel="license"`)
	for _, identifier := range sample {
		o, err := s.store.ByIdentifier(ctx, r.ID, identifier)
		if err != nil {
			continue // it went, or was never mapped
		}
		contexts := []string{anchor(o.LandingPage.URL)}
		for _, item := range o.Items[:min(1, len(o.Items))] {
			contexts = append(contexts, contextOf(o, item.URL))
		}
		metadata := s.metadata(r, o)
		for _, m := range metadata[:min(1, len(metadata))] {
			contexts = append(contexts, m.URL)
		}
		links := s.signpost(r, o)
		for _, context := range contexts {
			header, _ := r.inHeader(links.From(context))
			text = append(text, header...)
		}
	}
	return s2.MakeDict(text, text[bytes.LastIndexByte(text, '<'):]).Bytes(), nil
}
