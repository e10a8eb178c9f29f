package expr

import (
	"errors"
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
)

// commentIn returns where the first comment of an expression begins, -1 if it has none.
func commentIn(text string) int {
	if !strings.Contains(text, "//") && !strings.Contains(text, "/*") {
		return -1
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		switch pos, tok, _ := s.Scan(); tok {
		case token.EOF:
			return -1
		case token.COMMENT:
			return file.Offset(pos)
		}
	}
}

// slips are what authors write who think in another language.
var slips = []struct{ written, help string }{
	{"and", "Go writes && for and"},
	{"or", "Go writes || for or"},
	{"not", "Go writes ! for not"},
	{"in", "Go writes slices.Contains(list, value)"},
	{"is", "Go writes == for is"},
	{"=", "compare with =="},
	{"===", "compare with =="},
	{"<>", "Go writes != for <>"},
	{"?", "a condition is true or false as it is"},
}

// notOfProse reports whether a character is one that words of a text do not have.
func notOfProse(r rune) bool { return r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// syntax is the mistake that the Go parser found.
func (t *typing) syntax(text string, err error) *Mistake {
	m := &Mistake{Kind: Malformed, Message: t.the() + " is not a Go expression", Help: "write it as in " + t.scope.Role.Like}
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return m
	}
	m.Offset = min(max(list[0].Pos.Offset, 0), len(text))
	message, _, _ := strings.Cut(list[0].Msg, " (and ")
	m.Message += ": " + strings.NewReplacer("'EOF'", "the end", "newline", "the end").Replace(message)
	word := text[m.Offset:]
	if end := strings.IndexAny(word, " \t()"); end >= 0 {
		word = word[:end]
	}
	m.Width = max(1, len(word))
	if m.Offset == len(text) {
		m.Offset, m.Width = max(0, len(text)-1), min(1, len(text))
		return m
	}
	before := strings.TrimSpace(text[:m.Offset])
	for _, s := range slips {
		if word == s.written || strings.HasSuffix(before, " "+s.written) {
			m.Help = s.help
			return m
		}
	}
	if strings.HasPrefix(text, "not ") {
		m.Help = "Go writes ! for not"
	}
	if t.wantsText() && !strings.ContainsFunc(text, notOfProse) {
		m.Help = textHelp(text)
	}
	if strings.Contains(message, "rune literal") {
		m.Help = "write a text in double quotes or backquotes"
	}
	return m
}
