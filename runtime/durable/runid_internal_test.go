package durable

import (
	"testing"

	"github.com/graphgen/graphgen/runtime/codec"
)

// TestInputHash holds that an input without JSON has no hash: Start makes the run, which says what is wrong with it.
func TestInputHash(t *testing.T) {
	for name, write := range map[string]func(string, *codec.Encoder){
		"an error": func(_ string, e *codec.Encoder) { e.Fail("it has data and a url") },
		"a panic":  func(string, *codec.Encoder) { panic("of a type of the state") },
		"a text":   codec.WriteString,
	} {
		hash := inputHash(func(c *codec.Cells) {
			v := "v"
			codec.Cell(c, "x", &v, codec.ReadString, write)
		}, []string{"x"})
		if (hash != "") != (name == "a text") {
			t.Errorf("%s: the hash is %q", name, hash)
		}
	}
}
