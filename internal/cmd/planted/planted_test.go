package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMistakes holds that each mistake can be made: its text is in the file, once.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		text, err := os.ReadFile(filepath.Join("../../..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), m.old); n != 1 || m.new == m.old || len(m.tests) == 0 {
			t.Errorf("%s: %s has its text %d times", m.what, m.file, n)
		}
	}
}

func TestFailed(t *testing.T) {
	const events = `{"Action":"fail","Package":"m/a","Test":"TestX/sub"}
{"Action":"fail","Package":"m/a","Test":"TestX"}
{"Action":"pass","Package":"m/a","Test":"TestY"}
{"Action":"fail","Package":"m/a"}
`
	if by, err := failed([]byte(events)); err != nil || !slices.Equal(by, []string{"a.TestX"}) {
		t.Errorf("%v, %v", by, err)
	}
	if _, err := failed([]byte(`{"Action":"fail","Package":"m/a","FailedBuild":"m/a"}`)); err == nil {
		t.Error("a package that does not build passes for one that finds the mistake")
	}
}
