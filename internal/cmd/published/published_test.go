package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPage holds the page to the recorded counts, and these to the sources.
func TestPage(t *testing.T) {
	sources, err := readSources(sourcesText)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := parse(countsText)
	if err != nil {
		t.Fatal(err)
	}
	if format(counts) != countsText {
		t.Errorf("counts.txt is not as format prints it")
	}
	known, named := rules(), map[source]bool{}
	for _, s := range sources {
		named[s] = true
	}
	for _, c := range counts {
		if !named[c.source] {
			t.Errorf("sources.txt does not have %s", c.source)
		}
		failed := c.files - c.accepted
		errors, most := 0, 0
		for _, k := range c.kinds() {
			p := c.found[k]
			if known[k.code].Code == "" || p.files < 1 || p.files > p.places || p.files > c.files {
				t.Errorf("%s: %s %s has %d places in %d files of %d", c.source, k.severity, k.code, p.places, p.files, c.files)
			}
			if k.severity == 0 {
				errors, most = errors+p.files, max(most, p.files)
			}
		}
		if c.files < 1 || failed < most || failed > errors {
			t.Errorf("%s: %d of %d are accepted, with errors of %d to %d files", c.source, c.accepted, c.files, most, errors)
		}
	}
	have, err := os.ReadFile("../../../docs/reference/defects.md")
	if err != nil || string(have) != page(sources, counts) {
		t.Errorf("docs/reference/defects.md is not the page of counts.txt (%v): go run ./internal/cmd/published -clones DIR -update writes both", err)
	}
}

// repository makes a repository in which a workflow has two texts, and returns its folder and last commit.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	do := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		do("add", ".")
		do("commit", "-q", "-m", name)
	}
	do("init", "-q")
	write("flows/rules.md", "Be brief.\n")
	write("flows/a.yml", workflow("{from: draft, to: nowhere}"))
	write("flows/a.yml", workflow("{from: draft, to: check}"))
	write("flows/b.yml", workflow("{from: check, to: draft}"))
	write("other.yml", "not: counted\n")
	return dir, do("rev-parse", "HEAD")
}

func workflow(edge string) string {
	return "id: a\nname: A\nentry: draft\nrules: [./rules.md]\nnodes:\n  draft: {name: D, instruction: Draft., skills: []}\n" +
		"  check: {name: C, instruction: Check., skills: []}\nedges:\n  - " + edge + "\n"
}

// TestCount counts the files of a repository.
func TestCount(t *testing.T) {
	dir, commit := repository(t)
	tests := []struct{ versions, want string }{
		{"last", ": 2 files, 1 accepted\n\terror GG055 1 1\n"},
		{"every", ": 3 files, 1 accepted\n\terror GG055 1 1\n\terror GG363 1 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.versions, func(t *testing.T) {
			sources, err := readSources("workflow example/flows " + commit + " " + tt.versions + " flows/*.yml\n")
			if err != nil {
				t.Fatal(err)
			}
			c, err := sources[0].count(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := format([]count{c}); got != sources[0].String()+tt.want {
				t.Errorf("got\n%swant\n%s%s", got, sources[0], tt.want)
			}
			again, err := parse(format([]count{c}))
			if err != nil || format(again) != format([]count{c}) {
				t.Errorf("parse gives %v, %v", again, err)
			}
		})
	}
}

// TestReadSources holds the form of a line.
func TestReadSources(t *testing.T) {
	const commit = "0123456789012345678901234567890123456789"
	for _, line := range []string{
		"workflow a/b " + commit + " last", "none a/b " + commit + " last *.yml", "workflow a/b main last *.yml", "workflow a/b " + commit + " first *.yml",
	} {
		if list, err := readSources(line); err == nil {
			t.Errorf("%s gives %v", line, list)
		}
	}
}
