package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/cmd/internal/dashes"
)

func TestFlagsMayHaveOneDash(t *testing.T) {
	tests := []struct {
		name     string
		in, want string
	}{
		{"a long flag gets its second dash", "check -diff ./...", "check --diff ./..."},
		{"with its value", "diagram -format=dot", "diagram --format=dot"},
		{"two dashes stay two", "check --json", "check --json"},
		{"a short flag stays short", "-v -o x", "-v -o x"},
		{"and loses the = before its value", "diagram -o=x.dot", "diagram -ox.dot"},
		{"what follows -- are no flags", "check -- -diff", "check -- -diff"},
		{"a number is no flag", "-1", "-1"},
		{"nothing stays nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := dashes.Two(strings.Fields(tt.in)); !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("%q gives %q, expected %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestFirstDifference(t *testing.T) {
	tests := []struct {
		name       string
		have, want string
		line       int
		has, wants string
	}{
		{"a line that changed", "a\nb\nc\n", "a\nx\nc\n", 2, "b", "x"},
		{"a line that is missing at the end", "a", "a\nb", 2, "nothing", "b"},
		{"a line too many", "a\n\tb\n", "a\n", 2, "b", "an empty line"},
		{"a line too long to show", "a", strings.Repeat("é", 200), 1, "a", strings.Repeat("é", maxLine/2) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, has, wants := firstDifference([]byte(tt.have), []byte(tt.want))
			if line != tt.line || has != tt.has || wants != tt.wants {
				t.Errorf("got %d, %q, %q", line, has, wants)
			}
		})
	}
}

func TestInterruptedRun(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := "{graph: a, entry: work, nodes: {work: {}}, edges: [{from: work, to: end}]}"
	if err := os.WriteFile("a.graph.yaml", []byte(spec), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupted"))
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"-package", "a"}, &stdout, &stderr); code != exitError {
		t.Errorf("exit status %d", code)
	}
	if want := "graphgen: interrupted; nothing was written\n"; stderr.String() != want {
		t.Errorf("got %q, expected %q", stderr.String(), want)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestExplainEveryCode(t *testing.T) {
	for _, f := range families() {
		for _, r := range f.rules {
			t.Run(r.Code, func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				if code := run(t.Context(), []string{"explain", r.Code}, &stdout, &stderr); code != exitFine {
					t.Fatalf("exit status %d: %s", code, &stderr)
				}
				if !strings.Contains(stdout.String(), "["+r.Code+"]: ") {
					t.Errorf("the bad example does not give the code:\n%s", &stdout)
				}
			})
		}
	}
}
