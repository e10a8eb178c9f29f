package codec_test

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/codec"
)

// TestHiddenCells holds that hidden cells are apart in all that is written, and stay hidden where they were read.
func TestHiddenCells(t *testing.T) {
	open, key, log := "a", "k", []string{"x"}
	list := func(c *codec.Cells) {
		codec.Cell(c, "open", &open, codec.ReadString, codec.WriteString)
		codec.Cell(c, "key", &key, codec.ReadString, codec.WriteString)
		codec.Tail(c, "log", &log, codec.ReadString, codec.WriteString)
	}
	var c codec.Cells
	c.Hide(func(name string) bool { return name != "open" })
	expect := func(what string, plain, hidden []byte, wantPlain, wantHidden string) {
		t.Helper()
		if string(plain) != wantPlain || string(hidden) != wantHidden {
			t.Errorf("%s: %s and %s, want %s and %s", what, plain, hidden, wantPlain, wantHidden)
		}
	}
	plain, hidden, err := c.Changes(list)
	if err != nil {
		t.Fatal(err)
	}
	expect("the first changes", plain, hidden, `"open":"a"`, `"key":"k","log":["x"]`)
	key, log = "l", append(log, "y")
	plain, hidden, _ = c.Changes(list)
	expect("later changes", plain, hidden, "", `"key":"l","log+":["y"]`)

	var read, branch codec.Cells
	if err := read.Take([]byte(`{"open":"a"}`)); err != nil {
		t.Fatal(err)
	}
	if err := read.TakeHidden([]byte(`{"key":"k","log":["x"]}`)); err != nil {
		t.Fatal(err)
	}
	if err := read.TakeHidden([]byte(`{"log+":["y"]}`)); err != nil {
		t.Fatal(err)
	}
	plain, hidden = read.Whole()
	expect("what was read", plain, hidden, `"open":"a"`, `"key":"k","log":["x","y"]`)
	branch.Inherit(&read, func(name string) bool { return name == "open" })
	plain, hidden = branch.Whole()
	expect("what a branch inherits", plain, hidden, "", `"key":"k","log":["x","y"]`)
	key = "m"
	plain, hidden, _ = branch.Changes(list)
	expect("changes of a branch", plain, hidden, `"open":"a"`, `"key":"m"`)
}
