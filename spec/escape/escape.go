// Package escape escapes texts of authors for a terminal, Markdown and JSON. Package gen/diagram
// escapes for its languages itself.
package escape

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmless reports whether a terminal shows c as a character. Controls can move the cursor, and
// directional overrides can reorder text.
func Harmless(c rune) bool {
	return !unicode.IsControl(c) && !unicode.Is(unicode.Bidi_Control, c) && c != '\u2028' && c != '\u2029'
}

// Visible returns a text on one line, with � for characters that are not harmless.
func Visible(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return ' '
		case !Harmless(c):
			return utf8.RuneError
		}
		return c
	}, text)
}

// Line returns a text on one line. It escapes characters that are not harmless as Go does, so that
// different texts stay different.
func Line(text string) string {
	var b strings.Builder
	for _, c := range text {
		if Harmless(c) {
			b.WriteRune(c)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(c)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// Word returns a text as a word of a shell such as bash and zsh, which reads it back: different texts stay different.
func Word(text string) string {
	quoted, escaped := text == "" || text[0] == '=', !utf8.ValidString(text) // zsh takes =name for the path of a program
	for _, c := range text {
		quoted = quoted || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_./:,@%+=", c)
		escaped = escaped || !Harmless(c)
	}
	switch {
	case !quoted && !escaped:
		return text
	case !escaped:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\'' || c == '\\':
			b.WriteString(`\` + text[i:i+n])
		case Harmless(c) && (c != utf8.RuneError || n > 1):
			b.WriteString(text[i : i+n])
		default:
			for _, octet := range []byte(text[i : i+n]) { // three digits: none that follows belongs to it
				b.WriteString(`\` + string([]byte{'0' + octet>>6, '0' + octet>>3&7, '0' + octet&7}))
			}
		}
		i += n
	}
	return b.String() + "'"
}

// hidden is written instead of a secret.
const hidden = "xxxxx"

var (
	userinfo  = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s"'` + "`" + `@/?#:]*:)[^\s"'` + "`" + `]*@`)
	passwords = regexp.MustCompile(`(?i)(pass(?:word|wd|phrase)?=)('[^']*'|[^\s&"'` + "`" + `]+)`)
)

// Secrets returns a text without the passwords of URLs and connection strings in it.
func Secrets(text string) string {
	return passwords.ReplaceAllString(userinfo.ReplaceAllString(text, "${1}"+hidden+"@"), "${1}"+hidden)
}

// Code returns a text as a Markdown code span, in which only backticks and blank lines need care.
func Code(text string) string {
	text = Line(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	// Markdown drops one blank at both ends.
	if fence != "`" || text[0] == ' ' && text[len(text)-1] == ' ' {
		text = " " + text + " "
	}
	return fence + text + fence
}

// JSON returns JSON with escapes for what a terminal would obey. Nothing else is changed.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(c rune) bool { return c != '\n' && !Harmless(c) }) {
		return text
	}
	var b bytes.Buffer
	for _, c := range string(text) {
		if c == '\n' || Harmless(c) {
			b.WriteRune(c)
			continue
		}
		digits := strconv.FormatInt(int64(c), 16) // all of them are below U+FFFF
		b.WriteString(`\u` + strings.Repeat("0", 4-len(digits)) + digits)
	}
	return b.Bytes()
}

// Writer returns a writer for a terminal. It shows � for what a terminal would obey, except line breaks
// and tabs, and for bytes that are not UTF-8.
func Writer(w io.Writer) io.Writer { return &writer{w: w} }

type writer struct {
	w    io.Writer
	rest []byte // the beginning of a character
}

func (w *writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if utf8.RuneStart(text[len(text)-n]) {
			if !utf8.FullRune(text[len(text)-n:]) {
				whole = len(text) - n
			}
			break
		}
	}
	shown := bytes.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && !Harmless(c) {
			return utf8.RuneError
		}
		return c
	}, text[:whole])
	w.rest = bytes.Clone(text[whole:])
	if _, err := w.w.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}
