// Package librarian answers questions about a folder of texts: an agent with three tools. It shows
// a prompt node with a tool loop, typed tools and a typed answer, a guard whose refusal goes back to the
// model, and a run without a network, on a recording.
package librarian

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// A Library is a folder of texts.
type Library struct{ Files fs.FS }

// ListFiles lists the files.
func (l Library) ListFiles(context.Context) ([]string, error) {
	names := []string{}
	err := fs.WalkDir(l.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	return names, err
}

// ReadFile reads a file. The model receives its error, which suggests what to do.
func (l Library) ReadFile(_ context.Context, args LibrarianReadFileArgs) (string, error) {
	text, err := fs.ReadFile(l.Files, args.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		return "", errors.New("there is no file " + args.Name + ": list_files has the names")
	case err == nil && !utf8.Valid(text):
		return "", errors.New(args.Name + " is no text")
	}
	return string(text), err
}

// Search finds the lines that hold a text. Files that are no texts hold none.
func (l Library) Search(ctx context.Context, args LibrarianSearchArgs) ([]Match, error) {
	names, err := l.ListFiles(ctx)
	if err != nil {
		return nil, err
	}
	found := []Match{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(l.Files, name)
		if err != nil {
			return nil, err
		}
		if !utf8.Valid(text) {
			continue
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if !strings.Contains(strings.ToLower(line), strings.ToLower(args.Text)) {
				continue
			}
			if found = append(found, Match{File: name, Line: number, Text: strings.TrimRight(line, "\r\n")}); len(found) == args.Limit {
				return found, nil
			}
		}
	}
	return found, nil
}

// SourcesExist is the guard of an answer: what it rests on has to be there.
func (l Library) SourcesExist(ctx context.Context, out Answer) error {
	names, err := l.ListFiles(ctx)
	if err != nil {
		return err
	}
	for _, source := range out.Sources {
		if !slices.Contains(names, source) {
			return graphgen.Reject("the source " + source + " is not a file of the library")
		}
	}
	return nil
}
