package yamlread_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// A job is a language of its own, as no graph has it.
type job struct {
	Pos   yamlread.Pos
	Name  yamlread.String
	Every yamlread.Value[time.Duration]
	Runs  yamlread.Value[int]
	Steps []*step
	torn  bool
}

type step struct {
	Name yamlread.String
	Args []yamlread.String
	torn bool
}

type steps struct{ to *[]*step }

var (
	number  = &yamlread.Form{Expects: "a whole number", Example: "3"}
	args    = &yamlread.Form{Expects: "a list of names", Example: "[a, b]", Single: true}
	entries = &yamlread.Form{Expects: "a mapping of names to steps", Example: "{build: {args: [a]}}"}

	stepTable = yamlread.Table[step]{Noun: "a step", Bare: true, Unread: func(s *step) *bool { return &s.torn }, Rows: []yamlread.Row[step]{
		{Key: yamlread.Key{Name: "args", Form: args}, To: func(s *step) any { return &s.Args }},
	}}
	jobTable = yamlread.Table[job]{
		Noun: "a job", Pos: func(j *job) *yamlread.Pos { return &j.Pos }, Unread: func(j *job) *bool { return &j.torn },
		Rows: []yamlread.Row[job]{
			{Key: yamlread.Key{Name: "name", Form: yamlread.Name, Required: true}, To: func(j *job) any { return &j.Name }},
			{Key: yamlread.Key{Name: "every", Form: number}, To: func(j *job) any { return &j.Every }},
			{Key: yamlread.Key{Name: "runs", Form: number, Example: "7"}, To: func(j *job) any { return &j.Runs }},
			{Key: yamlread.Key{Name: "steps", Form: entries, Empty: true}, To: func(j *job) any { return steps{&j.Steps} }},
		},
	}
	jobs = yamlread.Language{
		File: "a job", Begin: "a job begins with name", Large: "split the job", Next: "write one job", Deep: "write less",
		Codes: yamlread.Codes{Unknown: "J1", Missing: "J2", Wrong: "J3", Unfit: "J4", Valueless: "J5"},
		Own: func(r *yamlread.Reader, v *yamlread.Tree, k *yamlread.Key, to any) bool {
			s, ok := to.(steps)
			if ok {
				*s.to = yamlread.Entries(r, v, k, &stepTable, func(s *step) *yamlread.String { return &s.Name })
			}
			return ok
		},
	}
)

// read returns a job, and what is wrong with it, one mistake a line.
func read(text string) (*job, string) {
	r, j := yamlread.New("a.job.yaml", "", &jobs), &job{}
	if root, ok := r.Parse([]byte(text)); ok {
		yamlread.Read(r, &root, &jobTable, j)
	}
	var b strings.Builder
	for _, d := range r.Found() {
		fmt.Fprintf(&b, "%d:%d %s %s; %s\n", d.Pos.Line, d.Pos.Col, d.Code, d.Message, d.Help)
	}
	return j, b.String()
}

func TestRead(t *testing.T) {
	j, found := read("name: nightly\nevery: 24h\nruns: 3\nsteps:\n  build: {args: x}\n  test:\n")
	if found != "" || j.torn {
		t.Fatal(found)
	}
	if j.Name.V != "nightly" || j.Every.V != 24*time.Hour || j.Runs.V != 3 || j.Runs.Pos != (yamlread.Pos{Line: 3, Col: 7, Width: 1}) || j.Pos.Line != 1 {
		t.Errorf("%+v", j)
	}
	if len(j.Steps) != 2 || j.Steps[0].Name.V != "build" || j.Steps[0].Args[0].V != "x" || j.Steps[1].Name.Pos.Line != 6 {
		t.Errorf("%+v", j.Steps)
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "1:1 GG007 the file is empty; a job begins with name\n",
		"name: a\n---\nname: b\n":            "2:1 GG008 a second document starts here; write one job\n",
		"name: a\nruns: 3\nruns: 4\n":        "3:1 GG011 the key \"runs\" is written twice; remove one of them\n",
		"name: a\nrunns: 3\n":                "2:1 J1 unknown key \"runns\" in a job; did you mean \"runs\"?\n",
		"name: a\nrunns: x\n":                "2:1 J1 unknown key \"runns\" in a job; did you mean \"runs\"?\n",
		"name: a\ncolour: red\n":             "2:1 J1 unknown key \"colour\" in a job; the keys of a job are name, every, runs, steps\n",
		"runs: 3\n":                          "1:1 J2 a job needs the key \"name\"; add name: draft\n",
		"colour: red\n":                      "1:1 J1 unknown key \"colour\" in a job; the keys of a job are name, every, runs, steps\n",
		"name: [a]\n":                        "1:7 J3 expected a name, found a list; write it as in draft\n",
		"name: a\nevery: 24\n":               "2:8 J4 the duration 24 has no unit; write numbers with units, as in 500ms, 30s or 1m30s\n",
		"name: a\nruns:\n":                   "2:1 J5 the key \"runs\" has no value, expected a whole number; write it as in runs: 7, or leave the key out\n",
		"name: a\nsteps: [b]\n":              "2:8 J3 expected a mapping of names to steps, found a list; write it as in {build: {args: [a]}}\n",
		"name: a\nsteps: {b: {arg: x}}\n":    "2:13 J1 unknown key \"arg\" in a step; did you mean \"args\"?\n",
		"name: a\nsteps: {b: {args: [3]}}\n": "2:20 J3 expected a name, found the number 3; put quotes around it\n",
	} {
		if _, found := read(text); found != want {
			t.Errorf("%q gives\n%swant\n%s", text, found, want)
		}
	}
}

// TestUnread holds that what is not read is noted in its own mapping, and not in the one around it.
func TestUnread(t *testing.T) {
	for text, want := range map[string][2]bool{
		"name: a\nsteps: {b: {args: x}}\n":        {false, false},
		"name: a\ncolour: red\nsteps: {b: }\n":    {true, false},
		"name: a\nsteps: {b: {colour: red}}\n":    {false, true},
		"name: a\nsteps: {b: , b: }\n":            {true, false},
		"name: a\nsteps: {b: {args: x}, 1: {}}\n": {true, false},
	} {
		j, _ := read(text)
		if got := [2]bool{j.torn, j.Steps[0].torn}; got != want {
			t.Errorf("%q: the job and its step are unread: %v, want %v", text, got, want)
		}
	}
}

// TestFlow holds that a tree is written as it was.
func TestFlow(t *testing.T) {
	const text = "{a: [b, \"3\", 4, true, \"\", \"x: y\"], c: {d: 'e\"f', g: null}}"
	root, ok := yamlread.New("", "", &jobs).Parse([]byte(text))
	if got := root.Flow(); !ok || got != text {
		t.Errorf("%q is written %q", text, got)
	}
}
