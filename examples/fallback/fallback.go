// Package fallback is the retry with fallback: transient errors are tried again, others
// take the way that is wired for them.
package fallback

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	graphrt "github.com/graphgen/graphgen/runtime"
)

//go:generate go tool graphgen

// Source is a file that others are still writing: while its lock is there it is busy.
type Source struct {
	// Busy counts how many reads find the source busy.
	Busy int
}

// Fetch reads the source. A busy one is worth another try, a missing one is not.
func (s *Source) Fetch(ctx context.Context, in FallbackFetchIn) (FallbackFetchOut, error) {
	if s.Busy >= graphrt.Info(ctx).Attempt {
		return FallbackFetchOut{}, graphrt.Transient(errors.New(filepath.Base(in.Source) + " is being written"))
	}
	text, err := os.ReadFile(in.Source)
	return FallbackFetchOut{Text: string(text), Origin: "source"}, err
}

// FromMirror reads the copy.
func (s *Source) FromMirror(_ context.Context, in FallbackFromMirrorIn) (FallbackFromMirrorOut, error) {
	text, err := os.ReadFile(in.Mirror)
	return FallbackFromMirrorOut{Text: string(text), Origin: "mirror"}, err
}

// Remember keeps a copy.
func (s *Source) Remember(_ context.Context, in FallbackRememberIn) error {
	return os.WriteFile(in.Mirror, []byte(in.Text), 0o644)
}

// Announce says so.
func (s *Source) Announce(context.Context) (FallbackAnnounceOut, error) {
	return FallbackAnnounceOut{Log: []string{"there is a new copy"}}, nil
}

// Count counts the words.
func (s *Source) Count(in FallbackCountIn) (FallbackCountOut, error) {
	return FallbackCountOut{Words: len(strings.Fields(in.Text))}, nil
}

// Apologize says what went wrong.
func (s *Source) Apologize(ctx context.Context) (FallbackApologizeOut, error) {
	why := "nothing to read"
	if f := graphrt.Info(ctx).Failure; f != nil && !errors.Is(f, fs.ErrNotExist) {
		why = f.Error()
	}
	return FallbackApologizeOut{Log: []string{why}}, nil
}
