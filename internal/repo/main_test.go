// Package repo_test has the tests of the repository as a whole: which package imports which, that pages are true, and that
// names, words and lines keep to the rules of CONTRIBUTING.md.
package repo_test

import (
	"os"
	"testing"
)

// The tests name files from the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
