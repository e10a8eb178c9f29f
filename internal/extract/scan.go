package extract

import (
	"strings"

	"github.com/graphgen/graphgen/internal/jsonscan"
)

// kindOf returns the kind of value that a bracket opens.
func kindOf(bracket byte) Kind {
	if bracket == '{' {
		return Object
	}
	return List
}

// starts returns the kind of the value with which a text begins that is JSON.
func starts(text string) Kind {
	switch text[0] {
	case '{', '[':
		return kindOf(text[0])
	case '"':
		return Text
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// opens reports whether the bracket at text[i] opens a value of JSON, or of what is meant to
// be: an object has the name of a member after it, quoted or not, and a colon after that.
// Brackets of prose, templates and check lists do not. It looks no further than to
// the next bracket's quote, so that all brackets together cost the length of the text.
func opens(text string, i int) bool {
	n := space(text, i+1)
	if n == len(text) {
		return false
	}
	if text[i] == '{' {
		if text[n] == '}' {
			return true
		}
		end := nameEnd(text, n)
		if end = space(text, end); end == len(text) {
			return false
		}
		return text[end] == ':' && end > n
	}
	switch c := text[n]; c {
	case ']':
		return n == i+1 // an empty box of a check list has a space
	case '{', '[', '"', '-':
		return true
	default:
		rest := text[n:]
		return c-'0' <= 9 || strings.HasPrefix(rest, "true") || strings.HasPrefix(rest, "false") || strings.HasPrefix(rest, "null")
	}
}

// nameEnd returns where the name ends that begins at text[i].
func nameEnd(text string, i int) int {
	if text[i] == '"' {
		return stringEnd(text, i)
	}
	for i < len(text) && (isWord(text[i]) || text[i] == '\'') {
		i++
	}
	return i
}

// valueEnd returns the end of the object or list that opens at text[i], or the end of the text
// if it is not closed. Brackets are counted, not matched: the decoder reports mismatches.
func valueEnd(text string, i int) (end int, closed bool) {
	var s jsonscan.Scanner
	for ; i < len(text); i++ {
		if s.Next(text[i]) == jsonscan.Close && s.Depth == 0 {
			return i + 1, true
		}
	}
	return len(text), false
}

// fills reports whether the part is one object or list, and nothing else.
func fills(text string, p part) bool {
	if text[p.start] != '{' && text[p.start] != '[' {
		return false
	}
	end, closed := valueEnd(text[:p.end], p.start)
	return closed && end == p.end
}

// stringEnd returns what is after the string whose quote is at text[i]; if that has no end,
// the end of the text.
func stringEnd(text string, i int) int {
	var s jsonscan.Scanner
	for ; i < len(text); i++ {
		if s.Next(text[i]) == jsonscan.EndQuote {
			return i + 1
		}
	}
	return len(text)
}

// space returns where the white space ends that begins at text[i].
func space(text string, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// trimmed returns the part without the white space around it.
func trimmed(text string, p part) part {
	for p.end > p.start && isSpace(text[p.end-1]) {
		p.end--
	}
	return part{min(space(text, p.start), p.end), p.end}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isDigit(c byte) bool { return c-'0' <= 9 }

// isWord reports whether the byte belongs to a word: letters, digits, the underscore, and
// bytes of characters beyond ASCII.
func isWord(c byte) bool { return isDigit(c) || c|' '-'a' < 26 || c == '_' || c >= 0x80 }

// words are the texts in quotes, numbers, bools and nulls of a text.
type words struct {
	part
	text   string
	kind   Kind // of the one at hand
	quoted bool // whether there are texts; else a quote is a character like others
}

// next finds the next one that is of any kind.
func (w *words) next() bool {
	for i := w.end; i < len(w.text); {
		start := i
		switch c := w.text[i]; {
		case c == '"' && w.quoted:
			i = stringEnd(w.text, i)
			w.kind = Text
		case isNumeric(c):
			digits := false
			for ; i < len(w.text) && isNumeric(w.text[i]); i++ {
				digits = digits || isDigit(w.text[i])
			}
			w.kind = wordKind(strings.TrimRight(w.text[start:i], ".,:"), digits)
		default:
			i++
			continue
		}
		if w.kind != 0 {
			w.part = part{start, i}
			if w.kind != Text {
				w.part.end = start + len(strings.TrimRight(w.text[start:i], ".,:"))
			}
			return true
		}
	}
	return false
}

// isNumeric reports whether the byte belongs to a word, or occurs in numbers, dates, ranges
// and the like, which are no single number.
func isNumeric(c byte) bool { return isWord(c) || strings.IndexByte(".,:/+-%", c) >= 0 }

// wordKind returns the kind of value that a word is, 0 if none.
func wordKind(word string, digits bool) Kind {
	switch {
	case digits:
		return Number // or what must not be taken for two of them: a range, a date
	case word == "true" || word == "false":
		return Bool
	case word == "null":
		return Null
	}
	return 0
}

// isNumber reports whether the text has the parts of one number, in their order.
func isNumber(text string) bool {
	whole := digitsEnd(text, len(text)-len(strings.TrimPrefix(text, "-")))
	i := whole
	if whole == 0 || !isDigit(text[whole-1]) {
		return false
	}
	if i < len(text) && text[i] == '.' {
		i = digitsEnd(text, i+1)
	}
	if i < len(text) && text[i]|' ' == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		i = digitsEnd(text, i)
	}
	return i == len(text)
}

// digitsEnd returns where the digits end that begin at text[i].
func digitsEnd(text string, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}
