package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/graphgen/graphgen/cmd/internal/lsp"
	"github.com/graphgen/graphgen/spec"
)

type fmtVerb struct {
	paths
	Check bool `help:"List the specs that are not formatted, write nothing, and fail if there are some."`
}

func (fmtVerb) Help() string {
	return `The keys of each mapping get the order of the reference. Each level gets two spaces, colons and commas one, and of several
blank lines one is left. What has an order that counts keeps it: nodes, fields, labels, edges. A comment moves with the
entry below it, or in its line. The spec means the same: graphgen compares what is written with what was there.

A spec that is not YAML is left alone, with an error. Go files are for gofmt.

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
	text, err := disk.readSpec(path)
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
