package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestEveryExampleEndsAsItShould(t *testing.T) {
	repo, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		t.Run(e.graph+": "+e.what, func(t *testing.T) {
			var out bytes.Buffer
			if err := perform(t.Context(), &out, repo, e); err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}

func TestReportOfModelRun(t *testing.T) {
	at := slices.IndexFunc(examples, func(e example) bool { return e.graph == "librarian" })
	var out bytes.Buffer
	if err := perform(t.Context(), &out, "", examples[at]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Ada Moen", "sources: lighthouse.md",
		"4 model calls, 3520 tokens in, 188 out; 4 tool calls of which 1 failed", "answer → answer#2"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not tell %q:\n%s", want, out.String())
		}
	}
}

func TestReportOfChangedGraph(t *testing.T) {
	at := slices.IndexFunc(examples, func(e example) bool { return e.graph == "inquiry" })
	var out bytes.Buffer
	if err := perform(t.Context(), &out, "", examples[at]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"review changes the graph: add_node like_with_like", "look_into of side 1, attempt 1, was refused: the source sandeel.md",
		`passed over: inquiry.graph.yaml`, "of branch 3", "600 pairs", "review → like_with_like → like_with_like#2 → synthesise",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not tell %q:\n%s", want, out.String())
		}
	}
}
