package diag

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
)

// Options are the options of Render.
type Options struct {
	// Color marks severities and carets with ANSI escapes, for a terminal.
	Color bool
	// Source returns the text of a file by its name; nil without one. A nil Source shows no
	// source lines.
	Source func(file string) []byte
}

// Render writes diagnostics as text, in the given order:
//
//	review.graph.yaml:31:20: error[GG012]: node "critic" has no edge that can be taken
//	   31 |   - {from: critic, to: draft, if: "out.Score < 2"}
//	      |                    ^^^^^^^^^
//	   note: 30:5: this edge has no condition, so it is always taken
//	   help: give this edge a priority above 10
//
// It escapes control characters of the spec, so that a terminal does not interpret them.
func Render(w io.Writer, ds []Diagnostic, o Options) error {
	out := &renderer{w: bufio.NewWriter(w), palette: palettes[o.Color], sources: lines{read: o.Source}}
	for i := range ds {
		out.diagnostic(&ds[i])
	}
	return out.w.Flush()
}

// A palette holds the escapes that start a style, and the one that resets it.
type palette struct {
	severity    [3]string
	caret       string
	place, help string
	reset       string
}

var palettes = map[bool]palette{
	true: {
		severity: [3]string{Error: "\x1b[1;31m", Warning: "\x1b[1;33m", Note: "\x1b[1;36m"},
		caret:    "\x1b[1;32m", place: "\x1b[1m", help: "\x1b[1;36m", reset: "\x1b[0m",
	},
}

type renderer struct {
	w       *bufio.Writer
	palette palette
	sources lines
}

func (r *renderer) diagnostic(d *Diagnostic) {
	p := r.palette
	fmt.Fprintf(r.w, "%s%s:%s %s%s[%s]:%s %s\n", p.place, escape.Visible(place(d.File, d.Pos)), p.reset,
		p.severity[d.Severity], d.Severity, escape.Visible(d.Code), p.reset, escape.Visible(d.Message))
	r.source(d.File, d.Pos)
	for _, rel := range d.Remarks() {
		r.remark("note", relatedText(rel))
	}
	if d.Help != "" {
		r.remark("help", d.Help.String())
	}
}

// place formats a position as editors and terminals recognise it.
func place(file string, p Pos) string {
	if !p.IsSet() {
		return file
	}
	return file + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(max(1, p.Col))
}

func relatedText(rel Related) string {
	if !rel.Pos.IsSet() {
		return rel.Message
	}
	at := strconv.Itoa(rel.Pos.Line) + ":" + strconv.Itoa(max(1, rel.Pos.Col)) + ": " + rel.Message
	if rel.Pos.File != "" {
		return rel.Pos.File + ":" + at
	}
	return at
}

// remark writes a line below a diagnostic. Further lines of its text are indented under the first.
func (r *renderer) remark(word, text string) {
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == 0 {
			fmt.Fprintf(r.w, "   %s%s:%s %s\n", r.palette.help, word, r.palette.reset, escape.Visible(line))
			continue
		}
		fmt.Fprintf(r.w, "         %s\n", escape.Visible(line))
	}
}

// source writes the line of a position with carets below it.
func (r *renderer) source(file string, p Pos) {
	text, ok := r.sources.line(file, p.Line)
	if !ok {
		return
	}
	shown, marks := excerpt(text, p)
	number := strconv.Itoa(p.Line)
	gutter := strings.Repeat(" ", max(5, utf8.RuneCountInString(number)))
	fmt.Fprintf(r.w, "%5s | %s\n", number, shown)
	blank := marks[:len(marks)-len(strings.TrimLeft(marks, " "))]
	fmt.Fprintf(r.w, "%s | %s%s%s%s\n", gutter, blank, r.palette.caret, marks[len(blank):], r.palette.reset)
}

// lines returns lines of files. It keeps the lines of the last file, so that rendering is linear in
// the number of diagnostics.
type lines struct {
	read func(file string) []byte
	file string
	text []string
}

func (l *lines) line(file string, n int) (string, bool) {
	if l.read == nil || n < 1 {
		return "", false
	}
	if l.text == nil || l.file != file {
		src := bytes.TrimPrefix(l.read(file), []byte("\ufeff"))
		l.file, l.text = file, strings.Split(string(src), "\n")
	}
	if n > len(l.text) || len(l.text) == 1 && l.text[0] == "" {
		return "", false
	}
	return strings.TrimSuffix(l.text[n-1], "\r"), true
}
