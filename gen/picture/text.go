package picture

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
)

// A Text is a text as a picture shows it, in lines of a limited width.
type Text struct {
	Lines []string
	W     float64 // of the widest line
	Whole string  // on one line, uncut
}

// A font is a size and a weight.
type font struct {
	size float64
	bold bool
}

var (
	nameFont  = font{13, true}
	subFont   = font{10.5, false}
	labelFont = font{11, false}
	badgeFont = font{10, true}
)

// Widths in pixels and numbers of lines of texts that authors write.
const (
	nameWidth    = 230
	subWidth     = 250
	headerWidth  = 330
	labelWidth   = 170
	labelLines   = 3    // of one part of a label
	titleLength  = 2000 // in characters, of a text that is shown on demand
	labelLeading = 13.5
)

// one returns a text on one line, cut to the width.
func (f font) one(text string, width float64) Text {
	whole := shown(text)
	line := f.cut(whole, width)
	return Text{Lines: []string{line}, W: f.width(line), Whole: whole}
}

// wrap returns the parts of a text, each begun on a line of its own, in at most so many lines each.
func (f font) wrap(parts []string, width float64, lines int) Text {
	var t Text
	for k, part := range parts {
		part = shown(part)
		if k > 0 {
			t.Whole += "; "
		}
		t.Whole += part
		for n := 1; part != ""; n++ {
			line, rest := f.split(part, width)
			if n == lines && rest != "" {
				line, rest = f.cut(part, width), ""
			}
			t.Lines, part = append(t.Lines, line), rest
			t.W = max(t.W, f.width(line))
		}
	}
	return t
}

// split returns as much of a text as fits into the width, to a space if there is one, and the rest.
func (f font) split(text string, width float64) (line, rest string) {
	if f.width(text) <= width {
		return text, ""
	}
	w, space := 0.0, 0
	for i, c := range text {
		if w += f.of(c); w > width && i > 0 {
			if space > 0 {
				return text[:space], text[space+1:]
			}
			return text[:i], text[i:]
		}
		if c == ' ' {
			space = i
		}
	}
	return text, ""
}

// cut returns a text that fits into the width, with … for what is left out.
func (f font) cut(text string, width float64) string {
	if f.width(text) <= width {
		return text
	}
	w := f.of('…')
	for i, c := range text {
		if w += f.of(c); w > width {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

func (f font) width(text string) float64 {
	w := 0.0
	for _, c := range text {
		w += f.of(c)
	}
	return math.Ceil(w*2) / 2
}

// room is how much more room texts have than they take in Helvetica.
const room = 1.03

// length returns the width that a text is fitted to, whatever font there is: if it is known, the one that it has in Helvetica.
func (f font) length(text string) float64 {
	if !plain(text) {
		return f.width(text)
	}
	w := 0.0
	for _, c := range text {
		w += f.of(c)
	}
	return w / room
}

// of returns the room that a character has: its width in Helvetica, and a little more.
func (f font) of(c rune) float64 {
	w := 700.0
	switch {
	case c >= ' ' && c <= '~' && f.bold:
		w = boldWidths[c-' ']
	case c >= ' ' && c <= '~':
		w = widths[c-' ']
	case c == '·':
		w = 278
	case c == '≤':
		w = 549
	case c == '×':
		w = 584
	case c == '…' || c == '—' || c == '→' || c >= 0x2e80 && c < 0x1f000:
		w = 1000
	case c >= 0x1f000:
		w = 1400
	}
	return float64(w * f.size / 1000 * room)
}

// plain reports whether the width of a text is known: it has the characters of the tables alone.
func plain(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return (c < ' ' || c > '~') && !strings.ContainsRune("·…—→≤×", c) }) < 0
}

// widths are the widths of the characters of Helvetica from space to ~, in thousandths of the size.
var widths = [95]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278,
	584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944,
	667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
	278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// boldWidths are the widths of the characters of Helvetica Bold.
var boldWidths = [95]float64{
	278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333,
	584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944,
	667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556,
	333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
}

// shown returns a text on one line, as XML can hold it and a browser shows it: with � for what is no character or turns text around,
// and with at most two combining marks in a row, which would reach into other lines.
func shown(text string) string {
	marks := 0
	text = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.M, c) || c == '\u200d' {
			if marks++; marks > 2 {
				return -1
			}
			return c
		}
		marks = 0
		if unicode.IsSpace(c) && c != '\u0085' {
			return ' '
		}
		if !escape.Harmless(c) || c == 0xfffe || c == 0xffff || !utf8.ValidRune(c) {
			return utf8.RuneError
		}
		return c
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > titleLength {
		return string(runes[:titleLength]) + "…"
	}
	return string(runes)
}
