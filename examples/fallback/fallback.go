// Package fallback is the retry with fallback. It shows the handling of errors: a transient one
// is tried again, others take the edge on: error. One without an edge goes to the graph's
// on_error node, fail_soft records one and continues, and critical ends the run with it. It also shows
// kind router, and kind guard with its two edges.
package fallback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// Lock is what the file beside a source is called while others write the source.
func Lock(source string) string { return source + ".lock" }

// End is the last line of a text that is whole.
const End = "END"

// Reader reads and writes files.
type Reader struct{}

// Choose skips a source that is missing.
func (Reader) Choose(_ context.Context, in FallbackChooseIn) (FallbackChooseGoto, error) {
	if in.Source == "" {
		return FallbackChooseGotoFromMirror, nil
	}
	return FallbackChooseGotoFetch, nil
}

// Fetch reads the source. A locked one is worth another try, a missing one is not.
func (Reader) Fetch(_ context.Context, in FallbackFetchIn) (FallbackFetchOut, error) {
	if _, err := os.Stat(Lock(in.Source)); err == nil {
		return FallbackFetchOut{}, graphgen.Transient(errors.New(filepath.Base(in.Source) + " is locked"))
	}
	text, err := os.ReadFile(in.Source)
	return FallbackFetchOut{Text: string(text), Origin: new(OriginSource)}, err
}

// Verify refuses a text whose end is missing.
func (Reader) Verify(_ context.Context, in FallbackVerifyIn) error {
	if !strings.HasSuffix(strings.TrimSpace(in.Text), End) {
		return graphgen.Reject("the text is cut off")
	}
	return nil
}

// FromMirror reads the copy.
func (Reader) FromMirror(_ context.Context, in FallbackFromMirrorIn) (FallbackFromMirrorOut, error) {
	text, err := os.ReadFile(in.Mirror)
	return FallbackFromMirrorOut{Text: string(text), Origin: new(OriginMirror)}, err
}

// Remember keeps a copy.
func (Reader) Remember(_ context.Context, in FallbackRememberIn) error {
	return os.WriteFile(in.Mirror, []byte(in.Text), 0o644)
}

// Announce logs that there is a new mirror.
func (Reader) Announce(_ context.Context, in FallbackAnnounceIn) (FallbackAnnounceOut, error) {
	return FallbackAnnounceOut{Log: []string{"there is a new " + filepath.Base(in.Mirror)}}, nil
}

// Count counts the words.
func (Reader) Count(in FallbackCountIn) (FallbackCountOut, error) {
	return FallbackCountOut{Words: new(len(strings.Fields(strings.TrimSuffix(strings.TrimSpace(in.Text), End))))}, nil
}

// Publish writes the text to its target.
func (Reader) Publish(_ context.Context, in FallbackPublishIn) error {
	return os.WriteFile(in.Target, []byte(in.Text), 0o644)
}

// Apologize logs what went wrong.
func (Reader) Apologize(ctx context.Context) (FallbackApologizeOut, error) {
	failure := graphgen.Info(ctx).Failure
	return FallbackApologizeOut{Log: []string{fmt.Sprintf("sorry: %s has nothing to read", failure.Where.Node)}}, nil
}
