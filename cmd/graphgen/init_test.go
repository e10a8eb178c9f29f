package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheFirstGraphIsRight(t *testing.T) {
	for _, file := range []string{"first/" + firstSpec, "refund/" + refundSpec} {
		text, err := starts.ReadFile("starts/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := findInSpec(filepath.Base(file), string(text)); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", file, found, err)
		}
	}
}

func TestInitGoVersion(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\ngo "+goLanguage+"\n") {
		t.Errorf("goLanguage is %s, and go.mod says\n%s", goLanguage, text)
	}
}

func TestInitQuestions(t *testing.T) {
	const get, run = "go get -tool " + ownCommand, "go run ."
	tests := []struct {
		name   string
		module string
		want   []string
	}{
		{"a module without graphgen", "module example.com/a\n\ngo 1.26\n", []string{get, run}},
		{"one that has the kernel alone", "module example.com/a\n\nrequire " + ownModule + " v1.0.0\n", []string{get, run}},
		{"one that has both, in blocks", "module example.com/a\n\ntool (\n\t" + ownCommand + "\n)\n\nrequire (\n\t" + ownModule + " v1.0.0\n)\n",
			[]string{run}},
		{"one that has something of a longer name", "module example.com/a\n\ntool " + ownCommand + "x\n\nrequire " + ownModule + "x v1.0.0\n",
			[]string{get, run}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := &initVerb{Dir: "."}
			if got := v.next(tt.module)[:len(tt.want)]; strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestInitModulePath(t *testing.T) {
	for _, path := range []string{"example.com/a\n\nreplace example.com/b => /tmp", "a b", "../agent", "/agent", "-x",
		"example.com//a", "a\x00b", "ä.example/x"} {
		var stdout, stderr bytes.Buffer
		dir := filepath.Join(t.TempDir(), "agent")
		code := run(context.Background(), []string{"init", "-module=" + path, dir}, &stdout, &stderr)
		if want := fmt.Sprintf("graphgen: -module %q: ", path); code != exitError || !strings.HasPrefix(stderr.String(), want) ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: exit status %d, %s", path, code, stderr.String())
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q: something was written", path)
		}
	}
}
