package gotag

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
)

// A source is the text of a Go file by lines.
type source struct {
	path  string // for diagnostics
	text  string
	lines []int // byte offset of each line's first byte

	counted map[int][]int // for long lines, the runes before the end of each stride
	work    int           // bytes counted, for tests
}

func newSource(path string, text []byte) *source {
	s := &source{path: path, text: string(text), lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// pos returns the position of a range of bytes. Columns count runes. A range that continues on the
// next line ends with its first line.
func (s *source) pos(from, to int) spec.Pos {
	from = min(max(from, 0), len(s.text))
	line := sort.SearchInts(s.lines, from+1)
	end := len(s.text)
	if line < len(s.lines) {
		end = s.lines[line] - 1
	}
	to = min(max(to, from), max(end, from))
	before := s.runes(line, from)
	return spec.Pos{Line: line, Col: 1 + before, Width: s.runes(line, to) - before}
}

// stride is the number of bytes of a line that are counted in one step.
const stride = 256

// runes returns the number of runes of a line before an offset. Long lines are counted once.
func (s *source) runes(line, offset int) int {
	begin := s.lines[line-1]
	if offset-begin < stride {
		return utf8.RuneCountInString(s.text[begin:offset])
	}
	counted := s.counted[line]
	for next := begin + len(counted)*stride; next+stride <= offset; next += stride {
		// A rune is counted at its first byte.
		n := 0
		for _, c := range []byte(s.text[next : next+stride]) {
			if utf8.RuneStart(c) {
				n++
			}
		}
		s.work += stride
		if len(counted) > 0 {
			n += counted[len(counted)-1]
		}
		counted = append(counted, n)
	}
	if s.counted == nil {
		s.counted = map[int][]int{}
	}
	s.counted[line] = counted
	whole := (offset - begin) / stride
	n := counted[whole-1]
	for _, c := range []byte(s.text[begin+whole*stride : offset]) {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// A snippet is a text in a Go file with the position of each byte. Escapes make it shorter than in
// the file.
type snippet struct {
	text string
	at   []int // offset of each byte in the file, and of the end
}

// plain returns a snippet without escapes.
func plain(text string, offset int) snippet {
	s := snippet{text: text, at: make([]int, len(text)+1)}
	for i := range s.at {
		s.at[i] = offset + i
	}
	return s
}

func (s snippet) slice(from, to int) snippet { return snippet{s.text[from:to], s.at[from : to+1]} }

// unquote returns the snippet that a Go string literal denotes.
func (s snippet) unquote() (snippet, bool) {
	if len(s.text) < 2 || s.text[0] != s.text[len(s.text)-1] {
		return s, false
	}
	inner := s.slice(1, len(s.text)-1)
	switch s.text[0] {
	case '`':
		return inner.without('\r'), true
	case '"', '\'':
		return inner.unescape(s.text[0])
	}
	return s, false
}

func (s snippet) without(c byte) snippet {
	if strings.IndexByte(s.text, c) < 0 {
		return s
	}
	var b strings.Builder
	var at []int
	for i := range len(s.text) {
		if s.text[i] != c {
			b.WriteByte(s.text[i])
			at = append(at, s.at[i])
		}
	}
	return snippet{b.String(), append(at, s.at[len(s.text)])}
}

func (s snippet) unescape(quote byte) (snippet, bool) {
	var b strings.Builder
	at := make([]int, 0, len(s.at))
	for i := 0; i < len(s.text); {
		if c := s.text[i]; c == '\'' || c == '"' { // either may be part of the other
			if c == quote {
				return s, false
			}
			b.WriteByte(c)
			at = append(at, s.at[i])
			i++
			continue
		}
		rest := s.text[i:]
		char, multibyte, tail, err := strconv.UnquoteChar(either(rest), 0)
		if err != nil {
			return s, false
		}
		before := b.Len()
		if char < utf8.RuneSelf || !multibyte {
			b.WriteByte(byte(char))
		} else {
			b.WriteRune(char)
		}
		for range b.Len() - before {
			at = append(at, s.at[i])
		}
		i += len(rest) - len(tail)
	}
	return snippet{b.String(), append(at, s.at[len(s.text)])}, true
}

// either rewrites \' and \" so that strconv, which accepts one of them at a time, accepts both.
func either(s string) string {
	if strings.HasPrefix(s, `\'`) || strings.HasPrefix(s, `\"`) {
		return `\x` + strconv.FormatUint(uint64(s[1]), 16) + s[2:]
	}
	return s
}

// lookup returns the value of a key in the snippet of a struct tag, by the convention of
// package reflect. ok is false where the tag does not follow it.
func (s snippet) lookup(key string) (value snippet, found, ok bool) {
	for i := 0; ; {
		for i < len(s.text) && s.text[i] == ' ' {
			i++
		}
		if i == len(s.text) {
			return snippet{}, false, true
		}
		begin := i
		for i < len(s.text) && s.text[i] > ' ' && s.text[i] != ':' && s.text[i] != '"' && s.text[i] != 0x7f {
			i++
		}
		name := s.text[begin:i]
		if name == "" || !strings.HasPrefix(s.text[i:], `:"`) {
			return snippet{}, false, false
		}
		open := i + 1
		for i = open + 1; i < len(s.text) && s.text[i] != '"'; i++ {
			if s.text[i] == '\\' {
				i++
			}
		}
		if i >= len(s.text) {
			return snippet{}, false, false
		}
		i++
		if name == key {
			value, ok = s.slice(open, i).unquote()
			return value, ok, ok
		}
	}
}
