package main

import (
	"os"
	"path/filepath"
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
	for output, want := range map[string]string{
		"ok\n--- FAIL: TestX (0.10s)\n    --- FAIL: TestX/sub (0.10s)\n--- FAIL: TestY (0s)\n": "TestX",
		"--- FAIL: TestX (0.10s)\npanic: no\n":                                                 "TestX",
		"PASS\n":                                                                               "",
	} {
		if by := failed(strings.NewReader(output)); by != want {
			t.Errorf("%q: %q", output, by)
		}
	}
}
