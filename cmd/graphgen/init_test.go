package main

import (
	"os"
	"strings"
	"testing"
)

func TestTheFirstGraphIsRight(t *testing.T) {
	text, err := first.ReadFile("first/" + firstSpec)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := findInSpec(firstSpec, string(text)); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestAModuleThatInitMakesHasTheKernelsGo(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\ngo "+goLanguage+"\n") {
		t.Errorf("goLanguage is %s, and go.mod says\n%s", goLanguage, text)
	}
}

func TestInitAsksForWhatAModuleLacks(t *testing.T) {
	const get, run = "go get -tool " + ownCommand, "go run ."
	tests := []struct {
		name   string
		module string
		want   []string
	}{
		{"a module without graphgen", "module example.com/a\n\ngo 1.26\n", []string{get, run}},
		{"one that has the kernel alone", "module example.com/a\n\nrequire " + ownModule + " v1.0.0\n", []string{get, run}},
		{"one that has both, in blocks", "module example.com/a\n\ntool (\n\t" + ownCommand + "\n)\n\nrequire (\n\t" + ownModule + " v1.0.0\n)\n", []string{run}},
		{"one that has something of a longer name", "module example.com/a\n\ntool " + ownCommand + "x\n\nrequire " + ownModule + "x v1.0.0\n", []string{get, run}},
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
