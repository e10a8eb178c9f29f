package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/diff"
)

// An input is what one call of graphgen is about: a file, or two that are compared.
type input []string

// A class is a kind of output that is compared.
type class struct {
	name   string
	args   []string
	inputs inputs
	batch  int  // how many inputs a call has
	stops  bool // a call that fails writes nothing of its other inputs
}

// inputs names a list of inputs.
type inputs int

const (
	none     inputs = iota // one call without operands
	all                    // every graph
	accepted               // those without errors
	pairs                  // random graphs, each with a mutant and with its neighbours
	mutants                // random graphs, each with a mutant of itself
)

var classes = []class{
	{name: "schema", args: []string{"schema"}, inputs: none, batch: 1},
	{name: "diagnostics", args: []string{"check"}, inputs: all, batch: 100},
	{name: "diagnostics-json", args: []string{"check", "-json"}, inputs: all, batch: 100},
	{name: "bounds", args: []string{"check", "-bounds"}, inputs: accepted, batch: 100},
	{name: "bounds-json", args: []string{"check", "-bounds", "-json", "-prices", pricesFile}, inputs: accepted, batch: 100},
	{name: "generated", args: []string{"generate", "-v"}, inputs: accepted, batch: 50, stops: true},
	{name: "mermaid", args: []string{"diagram"}, inputs: accepted, batch: 100, stops: true},
	{name: "dot", args: []string{"diagram", "-format", "dot"}, inputs: accepted, batch: 100, stops: true},
	{name: "diff", args: []string{"diff"}, inputs: pairs, batch: 1},
	{name: "diff-markdown", args: []string{"diff", "-markdown"}, inputs: mutants, batch: 1},
}

func classNames() string {
	var names []string
	for _, c := range classes {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// A tool runs graphgen. It returns the exit status, and all that graphgen has written as one text.
type tool func(ctx context.Context, args []string) (status int, text string)

// A difference is an input of which two tools write something else.
type difference struct {
	input    input
	old, new string
}

// compare runs two tools on all inputs, and returns how many they agree on and the others.
func (c class) compare(ctx context.Context, old, new tool, list []input) (same int, found []difference) {
	last := time.Now()
	for batch := range slices.Chunk(list, c.batch) {
		found = append(found, c.differences(ctx, old, new, batch)...)
		same += len(batch)
		if time.Since(last) > 5*time.Second {
			last = time.Now()
			progress("%s: %d of %d", c.name, same, len(list))
		}
	}
	return same - len(found), found
}

// differences runs both tools on a batch. Of a batch that differs, each input is tried alone; so it is where a failure hides the outputs
// of some inputs. Where none differs alone, the batch is the difference.
func (c class) differences(ctx context.Context, old, new tool, batch []input) (found []difference) {
	args := call(c.args, batch)
	var wait sync.WaitGroup
	var was, is int
	var before, after string
	wait.Go(func() { was, before = old(ctx, args) })
	wait.Go(func() { is, after = new(ctx, args) })
	wait.Wait()
	same := was == is && before == after
	hidden := was != 0 && was != 1 || c.stops && was != 0
	if ctx.Err() != nil || same && (len(batch) == 1 || !hidden) {
		return nil
	}
	for i := range batch {
		if len(batch) > 1 {
			found = append(found, c.differences(ctx, old, new, batch[i:i+1])...)
		}
	}
	if !same && len(found) == 0 {
		found = []difference{{slices.Concat(batch...), status(was, before), status(is, after)}}
	}
	return found
}

func status(n int, text string) string { return fmt.Sprintf("exit status %d\n%s", n, text) }

// call returns arguments with the operands of a batch.
func call(args []string, batch []input) []string {
	out := slices.Clone(args)
	for _, in := range batch {
		out = append(out, in...)
	}
	return out
}

// longest is how many lines an excerpt has.
const longest = 30

// excerpt shows in which lines two texts differ, stream by stream and file by file.
func excerpt(old, new string) string {
	was, is := parts(old), parts(new)
	both := maps.Clone(was)
	maps.Copy(both, is)
	var text string
	for _, name := range slices.Sorted(maps.Keys(both)) {
		text += string(diff.Diff(name, []byte(was[name]), name, []byte(is[name])))
	}
	lines := slices.Collect(strings.Lines(text))
	if more := len(lines) - longest; more > 0 {
		lines = append(lines[:longest], fmt.Sprintf("... %d lines more\n", more))
	}
	return strings.Join(lines, "")
}

// parts returns what a tool wrote to streams and files, by their names.
func parts(text string) map[string]string {
	out, name := map[string]string{}, "status"
	for line := range strings.Lines(text) {
		if file, ok := strings.CutPrefix(line, fileMark); ok {
			name = strings.TrimSuffix(file, "\n")
		} else {
			out[name] += line
		}
	}
	return out
}
