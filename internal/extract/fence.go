package extract

import "strings"

// fencing is whether a part of a text is in a fenced block.
type fencing bool

const (
	unfenced fencing = false
	fenced   fencing = true
)

// blocks are the parts of a text: the insides of fenced blocks, and what is between them. A
// value of JSON has no line that begins or ends with a fence, so none is torn.
type blocks struct {
	part
	fencing
	text string

	at   int  // where the next part begins
	open byte // the character of the fence that is open there; 0: none is
}

// next finds the next part; it may be empty.
func (b *blocks) next() bool {
	if b.at >= len(b.text) {
		return false
	}
	b.start, b.fencing = b.at, b.open != 0
	for line := b.at; line < len(b.text); {
		end := len(b.text)
		if n := strings.IndexByte(b.text[line:], '\n'); n >= 0 {
			end = line + n
		}
		if b.turn(line, end) {
			return true
		}
		line = end + 1
	}
	b.end, b.at = len(b.text), len(b.text)
	return true
}

// turn ends the part at a fence in the line, if there is one. A fence opens at the beginning
// of a line or at its end, and closes at the end, as models write it; one with a language
// opens a block even if the one before is not closed.
func (b *blocks) turn(line, end int) bool {
	text := b.text[line:end]
	if strings.IndexByte(text, '`') < 0 && strings.IndexByte(text, '~') < 0 {
		return false
	}
	text = strings.TrimRight(text, " \t\r")
	first := len(text) - len(strings.TrimLeft(text, " \t>"))
	mark := fenceAt(text[first:])
	if b.open != 0 {
		if inner := strings.TrimRight(text, string(b.open)); len(text)-len(inner) >= fenceLen {
			b.end, b.at, b.open = line+len(inner), line+len(text), 0
			return true
		}
		if mark != b.open || !opensBlock(text[first:]) {
			return false
		}
	} else if mark == 0 {
		if first = max(strings.LastIndex(text, "```"), strings.LastIndex(text, "~~~")); first < 0 || !opensBlock(text[first:]) {
			return false
		}
		mark = text[first]
	}
	b.end, b.at, b.open = line+first, line+first+language(text[first:]), mark
	return true
}

const fenceLen = 3

// fenceAt returns the character of the fence that the text begins with, 0 if with none.
func fenceAt(text string) byte {
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		return text[0]
	}
	return 0
}

// opensBlock reports whether the line, which begins with a fence, has nothing after it except a
// language.
func opensBlock(line string) bool { return language(line) == len(line) }

// language returns where the fence and the language end with which the line begins.
func language(line string) int {
	n := fenceLen
	for n < len(line) && line[n] == line[0] {
		n++
	}
	for n < len(line) && (isWord(line[n]) || line[n] == '+' || line[n] == '-' || line[n] == '.') {
		n++
	}
	return n
}
