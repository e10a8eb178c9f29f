// Package quote writes texts in quotes. It is apart from package strconv for the size of WebAssembly, where the code
// of strconv.Quote takes three times as much.
package quote

import (
	"strconv"
	"unicode/utf8"
)

// Text returns a text in double quotes, as strconv.Quote does.
func Text(s string) string { return within('"', s) }

// Rune returns a character in single quotes, as strconv.QuoteRune does.
func Rune(r rune) string { return within('\'', string(r)) }

func within(mark byte, s string) string {
	text := append(make([]byte, 0, len(s)+2), mark)
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			text = escaped(text, 'x', rune(s[0]), 2)
		case r == rune(mark), r == '\\':
			text = escaped(text, s[0], 0, 0)
		case strconv.IsPrint(r):
			text = append(text, s[:size]...)
		case r >= '\a' && r <= '\r':
			text = escaped(text, "abtnvfr"[r-'\a'], 0, 0)
		case r < utf8.RuneSelf:
			text = escaped(text, 'x', r, 2)
		case r < 0x10000:
			text = escaped(text, 'u', r, 4)
		default:
			text = escaped(text, 'U', r, 8)
		}
		s = s[size:]
	}
	return string(append(text, mark))
}

// escaped appends a letter after a backslash, and a number of some hexadecimal digits.
//
//go:noinline
func escaped(text []byte, kind byte, n rune, digits int) []byte {
	text = append(text, '\\', kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		text = append(text, "0123456789abcdef"[n>>shift&0xf])
	}
	return text
}
