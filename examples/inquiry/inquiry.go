// Package inquiry looks into a question from several sides concurrently. A model takes the question apart, each
// part is looked into in a branch of its own, the findings are merged and examined in two ways concurrently, and
// a review may add one node to the graph of the run before it is all summed up. It shows a map and a
// parallel, branches that fail and are left out, guards within branches, a mutation by a model, assertions
// that mutations have to keep, and a recording of a run with branches.
//
// graphgen check -bounds prints the bounds of a run:
//
//	inquiry.graph.yaml: graph inquiry: at most 60 steps (max_steps is 60)
//	  a walk that makes 34:
//	  plan×3 look look_into×25 examine compare object review synthesise
//
//	  models                 at most
//	  calls                  50
//	  turns that call tools  at most 50, 25 reached
//	  tool calls             80
//
//	  node        visits
//	  plan        3
//	  look        1
//	  look_into   25
//	  examine     at most 2, 1 reached
//	  compare     at most 2, 1 reached
//	  object      at most 2, 1 reached
//	  review      at most 2, 1 reached
//	  synthesise  1
//
// The steps and the calls include steps and calls of nodes that a run adds.
package inquiry

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// A Library is a folder of texts. It is all that the graph needs from us: its handlers, its guards and its tools.
type Library struct{ Files fs.FS }

// ListTexts lists the texts.
func (l Library) ListTexts(context.Context) ([]string, error) {
	names := []string{}
	err := fs.WalkDir(l.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	return names, err
}

// ReadText reads a text.
func (l Library) ReadText(_ context.Context, args InquiryReadTextArgs) (string, error) {
	text, err := fs.ReadFile(l.Files, args.Name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return "", errors.New("there is no text " + args.Name + ": search says which hold a word")
	}
	return string(text), err
}

// Search finds the lines that hold a word.
func (l Library) Search(ctx context.Context, args InquirySearchArgs) ([]Match, error) {
	names, err := l.ListTexts(ctx)
	if err != nil {
		return nil, err
	}
	found := []Match{}
	for _, name := range names {
		text, err := fs.ReadFile(l.Files, name)
		if err != nil {
			return nil, err
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if strings.Contains(strings.ToLower(line), strings.ToLower(args.Word)) {
				found = append(found, Match{Name: name, Line: number, Text: strings.TrimSpace(line)})
			}
		}
	}
	return found, nil
}

// Compare finds the texts that no finding rests on.
func (l Library) Compare(ctx context.Context, in InquiryCompareIn) (InquiryCompareOut, error) {
	names, err := l.ListTexts(ctx)
	if err != nil {
		return InquiryCompareOut{}, err
	}
	unread := slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(in.Findings, func(f Finding) bool { return slices.Contains(f.Sources, name) })
	})
	return InquiryCompareOut{Unread: unread}, nil
}

// SourcesExist is the guard of a finding, of a branch's and of a follow-up's.
func (l Library) SourcesExist(ctx context.Context, out Finding) error {
	return l.hold(ctx, out.Sources)
}

// AnswerHasSources is the guard of the answer.
func (l Library) AnswerHasSources(ctx context.Context, out Answer) error {
	return l.hold(ctx, out.Sources)
}

// hold refuses an empty list of sources, or one that is not a text of the library.
func (l Library) hold(ctx context.Context, sources []string) error {
	if len(sources) == 0 {
		return graphgen.Reject("it names no source: name the texts that it rests on")
	}
	names, err := l.ListTexts(ctx)
	if err != nil {
		return err
	}
	for _, source := range sources {
		if !slices.Contains(names, source) {
			return graphgen.Reject("the source " + source + " is not a text of the library")
		}
	}
	return nil
}
