// Package nodename has the rules of the names of dynamic nodes, and writes names and texts from outside,
// which may be anything, into messages.
package nodename

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/quote"
)

// Max is the maximum length of the name of a dynamic node, in bytes.
const Max = 64

// Valid reports whether a dynamic node may have a name: ASCII letters, digits and _, a
// letter first.
func Valid(name string) bool {
	return name != "" && len(name) <= Max && isLetter(name[0]) && isPlain(name, "_")
}

// isPlain reports whether a text has ASCII letters, digits and some other characters alone.
func isPlain(text, others string) bool {
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Named returns a name unchanged if a spec may have it, else quoted and cut.
func Named(name string) string {
	if name != "" && isPlain(name, "_-") && len(name) <= Max {
		return name
	}
	return Quoted(name)
}

// Quoted returns a text in quotes. It cuts a long text: text of a model may have any length.
func Quoted(text string) string {
	if len(text) > Max {
		return quote.Text(strings.ToValidUTF8(text[:Max], "")) + "…"
	}
	return quote.Text(text)
}

// Excerpt returns the beginning of a text from outside, without control characters.
func Excerpt(text string) string {
	const most = 300 // bytes
	cut := text
	if len(text) > most {
		cut = text[:most]
	}
	cut = strings.Map(func(c rune) rune {
		if !strconv.IsPrint(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(cut, ""))
	if len(text) > most {
		cut += "…"
	}
	return cut
}
