package yamlread

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quotedWidth returns how many runes a quoted scalar takes on the line whose rest begins
// with its opening quote, and whether it ends there.
func quotedWidth(written string) (width int, closed bool) {
	if written == "" {
		return 0, false
	}
	q := written[0]
	for i := 1; i < len(written); i++ {
		switch {
		case q == '"' && written[i] == '\\':
			i++
		case written[i] != q:
		case q == '\'' && i+1 < len(written) && written[i+1] == q:
			i++
		default:
			return utf8.RuneCountInString(written[:i+1]), true
		}
	}
	return utf8.RuneCountInString(strings.TrimRight(written, " \t")), false
}

// wordEnd returns where the first word of a line's rest ends: at a blank, or at what ends
// a value inside brackets.
func wordEnd(written string) int {
	if i := strings.IndexAny(written, " \t,]}"); i >= 0 {
		return i
	}
	return len(written)
}

func wordWidth(written string) int { return utf8.RuneCountInString(written[:wordEnd(written)]) }

// longest is how much of an author's text a message repeats.
const longest = 40

// Short cuts a text down to what fits into a message.
func Short(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s[:min(len(s), utf8.UTFMax*longest)])[:longest]) + "…"
}

// Quote is the text in quotes, cut down to what fits into a message.
func Quote(s string) string { return strconv.Quote(Short(s)) }
