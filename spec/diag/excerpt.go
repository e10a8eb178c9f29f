package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
)

const (
	tabCells    = 4   // width of a tab
	excerptMost = 100 // most cells of a line
	excerptLead = 40  // cells kept before the position when a line is cut
)

// A shownRune is the rendering of one rune of a source line.
type shownRune struct {
	text  string
	cells int
}

// excerpt returns a source line in one terminal row, and the line of carets below it. A long line
// is cut around the position.
func excerpt(text string, p Pos) (shown, marks string) {
	runes := make([]shownRune, 0, utf8.RuneCountInString(text))
	for _, c := range text {
		runes = append(runes, show(c))
	}
	from := min(max(p.Col-1, 0), len(runes))
	to := min(max(from+p.Width, from+1), len(runes))
	first, last := window(runes, from, to)

	var line, carets strings.Builder
	if first > 0 {
		line.WriteString("…")
		carets.WriteString(" ")
	}
	for i := first; i < last; i++ {
		line.WriteString(runes[i].text)
		mark := " "
		if i >= from && i < to {
			mark = "^"
		}
		carets.WriteString(strings.Repeat(mark, runes[i].cells))
	}
	if last < len(runes) {
		line.WriteString("…")
	}
	marks = strings.TrimRight(carets.String(), " ")
	if from >= len(runes) { // the position is after the end of the line, where something is missing
		marks = carets.String() + "^"
	}
	return line.String(), marks
}

// window returns the range of runes to show, such that from is within excerptMost cells.
func window(runes []shownRune, from, to int) (first, last int) {
	total := 0
	for _, r := range runes {
		total += r.cells
	}
	if total <= excerptMost {
		return 0, len(runes)
	}
	first = from
	for cells := 0; first > 0 && cells+runes[first-1].cells <= excerptLead; first-- {
		cells += runes[first-1].cells
	}
	last = first
	for cells := 0; last < len(runes) && cells+runes[last].cells <= excerptMost; last++ {
		cells += runes[last].cells
	}
	// Near the end there is room before the position.
	if last == len(runes) {
		cells := 0
		for first = last; first > 0 && cells+runes[first-1].cells <= excerptMost; first-- {
			cells += runes[first-1].cells
		}
	}
	return first, last
}

// show returns the rendering of a rune.
func show(c rune) shownRune {
	switch {
	case c == '\t':
		return shownRune{strings.Repeat(" ", tabCells), tabCells}
	case !escape.Harmless(c):
		return shownRune{string(utf8.RuneError), 1}
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return shownRune{string(c), 0}
	case unicode.Is(wide, c):
		return shownRune{string(c), 2}
	}
	return shownRune{string(c), 1}
}

// wide holds the runes that take two cells, after Unicode's East Asian Width (UAX #11).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1},
		{0xa000, 0xa4cf, 1}, {0xa960, 0xa97f, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1},
		{0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x1b000, 0x1b2ff, 1}, {0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1faff, 1},
		{0x20000, 0x2fffd, 1}, {0x30000, 0x3fffd, 1},
	},
}
