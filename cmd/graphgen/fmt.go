package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/graphgen/graphgen/cmd/internal/lsp"
	"github.com/graphgen/graphgen/spec"
)

type fmtVerb struct {
	paths
	Check bool `help:"List the specs that are not formatted, write nothing, and fail if there are any."`
}

func (fmtVerb) Help() string {
	return `The keys of each mapping get the order of the reference. Each level is indented by two spaces, colons and commas are followed
by one space, and several blank lines become one. Nodes, fields, labels and edges keep their order, since it may matter. A
comment moves with the entry below it or on its line. graphgen checks that the spec still means the same.

A spec that is not valid YAML is left as it is, with an error. For Go files, use gofmt.

Examples:

  graphgen fmt ./...
  graphgen fmt -check ./...    in continuous integration
`
}

// Run formats the selected specs.
func (v *fmtVerb) Run(ctx context.Context, t *terminal) error {
	selected, err := v.find()
	if err != nil {
		return err
	}
	var failed error
	var changed []*output
	for _, s := range selected {
		for _, name := range s.specs {
			if filepath.Ext(name) == goSuffix {
				continue
			}
			o, err := formatted(ctx, filepath.Join(s.dir, name))
			if err != nil {
				failed = errors.Join(failed, err)
			} else if o != nil {
				changed = append(changed, o)
				fmt.Fprintln(t.out, o.path)
			}
		}
	}
	if !v.Check {
		for _, o := range changed {
			if err := writeOutput(ctx, o.path, o.content); err != nil {
				return errors.Join(failed, err)
			}
		}
	} else if len(changed) > 0 && failed == nil {
		return errFound
	}
	return failed
}

// formatted returns a spec in its canonical form, nil if it has it.
func formatted(ctx context.Context, path string) (*output, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	text, err := disk.listed(path, fs.FileInfoToDirEntry(info))
	if err != nil {
		return nil, err
	}
	if len(text) > spec.MaxFile {
		return nil, fmt.Errorf("%s: the file has more than %d MiB", path, spec.MaxFile>>20)
	}
	want, err := lsp.Format(path, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(text, want) {
		return nil, nil
	}
	return &output{path: path, content: want}, nil
}
