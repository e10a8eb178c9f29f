package yamlread

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A problem is a message of the YAML library, and how to report it.
type problem struct {
	says    string // what the library's text contains
	scanner bool   // the library's line counts from 1; else from 0
	at      func(*failure) int
	code    string
	message string
	help    string
}

// A failure is a place where the library gave up. What points to it may find better words
// than the words of its row.
type failure struct {
	src           *source
	start         int // byte where the line of the construct begins
	reached       int // byte up to which the library read
	message, help string
}

// problems holds the library's messages. The first row that fits counts; the last fits all.
var problems = [...]problem{
	{"mapping values are not allowed", true, strayColon, "GG001", "a colon does not belong here",
		"give every key a line of its own, and put quotes around a text that contains \": \""},
	{"could not find expected ':'", true, lineStart, "GG001", noColon, noColonHelp},
	{"block sequence entries are not allowed", true, last("-"), "GG001", "a list item does not belong here",
		"start the list on the line after its key, or write it as [a, b]"},
	{"mapping keys are not allowed", true, last("?"), "GG001", "a ? does not belong here", "put quotes around the text"},
	{"cannot start any token", true, last("@`%\t|>"), "GG001", "no value begins with this character", "put quotes around the text"},
	{"found unexpected end of stream", true, openQuote, "GG001", "this quote is never closed", "close the quote"},
	{"found unexpected document indicator", true, openQuote, "GG001", "this quote is not closed before the document ends", "close the quote"},
	{"found unknown escape", true, last("\\"), "GG001", "an unknown escape",
		"use single quotes where a backslash means itself, or write \\\\"},
	{"hexdecimal number", true, last("\\"), "GG001", "an escape without its hexadecimal digits", "use single quotes where a backslash means itself"},
	{"Unicode character escape", true, last("\\"), "GG001", "an escape that is not a character", "use single quotes where a backslash means itself"},
	{"expected ',' or ']'", false, inBrackets("["), "GG001", "a comma or ] is missing before this",
		"inside [ ] a text that contains [ ] { } , or # needs quotes"},
	{"expected ',' or '}'", false, inBrackets("{"), "GG001", "a comma or } is missing before this",
		"inside { } a text that contains [ ] { } , or # needs quotes"},
	{"expected '-' indicator", false, word, "GG001", "this is not an item of the list before it", "begin it with \"- \", at the column of the other items"},
	{"expected key", false, entry, "GG001", "this does not belong to the mapping before it", "begin every key of a mapping at the same column"},
	{"expected node content", false, word, "GG001", "a value is missing before this", "write the value, or leave the comma or key out"},
	{"<document start>", false, entry, "GG001", "this does not belong to what is before it", "begin every key of a mapping at the same column"},
	{"found a tab character", true, last("\t"), "GG002", "", ""},
	{"undefined tag handle", false, last("!"), "GG010", "this tag is not allowed", tagHelp},
	{"exceeded max depth", true, word, "GG006", tooDeep, ""},
	{"alphabetic or numeric character", true, last("&*"), "GG009", "no alias or anchor is allowed",
		"put quotes around a text that begins with * or &"},
	{"unknown anchor", true, last("*"), "GG009", "no alias is allowed", "put quotes around a text that begins with *"},
	{"expected tag URI", true, last("!"), "GG010", "this tag is not allowed", tagHelp},
	{"expected '!'", true, last("!"), "GG010", "this tag is not allowed", tagHelp},
	{"expected whitespace or line break", true, last("!%"), "GG010", "this tag is not allowed", tagHelp},
	{"the expected '>'", true, last("!"), "GG010", "this tag is not allowed", tagHelp},
	{"URI escaped", true, last("!"), "GG010", "this tag is not allowed", tagHelp},
	{"indentation indicator equal to 0", true, last("0"), "GG001", "the indentation of a block text cannot be 0", "leave the digit out"},
	{"comment or line break", true, word, "GG001", "nothing may follow on this line", "begin the text of | or > on the next line"},
	{"", true, word, "GG001", "this is not YAML", "the syntax of YAML is at https://yaml.org/spec/1.2.2/"},
}

// hints are better advice, by the text of the line of a syntax error. They are about what the
// parentheses match.
var hints = [...]struct {
	line *regexp.Regexp
	help string
}{
	{regexp.MustCompile(`[\w-]:\s+(\{\{.*)`), "put quotes around a text that begins with {{, as in \"{{topic}} is the topic\""},
	{regexp.MustCompile(`[\w-]:\s+("(?:[^"\\\n]|\\.)*"[^\s,}\]#:].*)`),
		"put single quotes around a text with double quotes in it, as in 'state.Name == \"x\"'"},
	{regexp.MustCompile(`[\w-]:\s+('(?:[^'\n]|'')*'[^\s,}\]#:'].*)`), "put double quotes around a text with single quotes in it, or write each of those twice"},
	{regexp.MustCompile(`[\s:]((?:\[\]|map\[string\])\??\w.*)`), "put quotes around a type with brackets, as in \"[]string\""},
	{regexp.MustCompile(`\bif:\s+(!.*|[^"'|>\s{][^,}]*[\[{].*)`), "put single quotes around the condition"},
	{regexp.MustCompile(`[{,]\s*if:\s+([^"'|>\s{][^,})]*(?:\([^)]*,|"|').*)`), "put single quotes around the condition"},
	{regexp.MustCompile(`[\s:](\?[\pL_\[][^\s,}]*)`), "inside { } a type that begins with ? needs quotes, as in \"?int\""},
	{regexp.MustCompile(`[{\[,]\s*(?:[\pL_]\w*:\s+)?([^\s"'{}\[\],:#?][^"'{}\[\],:]*\?)`), "inside { } and [ ] a text with a ? needs quotes"},
}

// reportSyntax reports why the library cannot parse the source. A file whose bytes were
// repaired has been reported, and what is left of it need not be YAML.
func (r *Reader) reportSyntax() {
	if r.repaired {
		return
	}
	says, line, reached := libraryProblem(r.src.text)
	var row problem
	for _, row = range problems {
		if strings.Contains(says, row.says) {
			break
		}
	}
	f := &failure{src: r.src, reached: min(reached, len(r.src.text)), message: row.message, help: row.help}
	if row.scanner && line > 0 {
		line-- // the line put before the first
	}
	if line >= 1 && line <= len(r.src.lines) {
		f.start = r.src.lines[line-1]
	}
	pos := r.src.place(row.at(f))
	text := r.src.line(pos.Line)
	if indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]; strings.Contains(indent, "\t") || row.code == "GG002" {
		r.reportTab(pos.Line, indent)
		return
	}
	pos.Width = max(1, wordWidth(r.src.rest(pos.Line, pos.Col)))
	if row.code == "GG001" {
		for line := pos.Line; line > 0 && line > pos.Line-2; line-- {
			if r.reportBlank(line) {
				return
			}
		}
		pos = f.hint(pos)
	}
	pos.Width = min(pos.Width, longest)
	if row.code == "GG006" {
		f.help = r.Deep
	}
	r.Report(row.code, pos, f.message, f.help)
}

// oddBlank matches a blank at the beginning of a line, or after a key, that YAML takes for a
// letter.
var oddBlank = regexp.MustCompile("^(?: *(?:- )*|[^\"'#]*?[\\w-]:)([\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff])")

// oddBlanks are the commonest of them.
const oddBlanks = "\u00a0\u2009\u200b\u202f\u3000\ufeff"

// reportBlank reports whether a line has a blank where it must not be that is not a space.
func (r *Reader) reportBlank(line int) bool {
	text := r.src.line(line)
	m := oddBlank.FindStringSubmatchIndex(text)
	if m == nil {
		return false
	}
	c, _ := utf8.DecodeRuneInString(text[m[2]:])
	pos := Pos{Line: line, Col: 1 + utf8.RuneCountInString(text[:m[2]]), Width: 1}
	r.Report("GG001", pos, fmt.Sprintf("this blank is not a space but U+%04X", c), "replace it by a space")
	return true
}

// hint looks for better advice on the line of a mistake, and on the line with words before
// it: the library reads on to the next word before it gives up. There the text must be inside
// braces, or begin with a bracket: else it may well be in order.
func (f *failure) hint(pos Pos) Pos {
	before := pos.Line - 1
	for before > 1 && strings.TrimSpace(f.src.line(before)) == "" {
		before--
	}
	for _, line := range [...]int{pos.Line, before} {
		text := f.src.line(line)
		for _, h := range hints {
			m := h.line.FindStringSubmatchIndex(text)
			if m != nil &&
				(line == pos.Line || f.readOn(pos) && (text[m[2]] == '[' || strings.HasPrefix(text[m[2]:], "{{") ||
					isQuote(text[m[2]]) || strings.Contains(text[:m[2]], "{"))) {
				f.message, f.help = "this text needs quotes", h.help
				return Pos{Line: line, Col: 1 + utf8.RuneCountInString(text[:m[2]]), Width: utf8.RuneCountInString(text[m[2]:m[3]])}
			}
		}
	}
	return pos
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// readOn reports whether a mistake may be on the line before its place: its place is the
// first word of its line.
func (f *failure) readOn(pos Pos) bool {
	text := f.src.line(pos.Line)
	return pos.Col == 1+utf8.RuneCountInString(text)-utf8.RuneCountInString(strings.TrimLeft(text, " "))
}

func (r *Reader) reportTab(line int, indent string) {
	pos := Pos{Line: line, Col: 1 + max(0, strings.IndexByte(indent, '\t')), Width: max(1, strings.Count(indent, "\t"))}
	r.Report("GG002", pos, "a tab is used for indentation", "indent with spaces, two a level")
}

// back returns the place of the last character before where the library stopped that is
// no blank: it reads on to the next word before it gives up.
func (f *failure) back() int {
	text := strings.TrimRight(f.src.text[:f.reached], " \t\r\n")
	_, size := utf8.DecodeLastRuneInString(text)
	return len(text) - size
}

// word points to the beginning of the word where the library stopped.
func word(f *failure) int {
	end := f.back()
	if i := strings.LastIndexAny(f.src.text[:end], " \t\n,[]{}"); i >= 0 {
		return min(i+1, end)
	}
	return 0
}

// entry points to the word where the library stopped, or to the key before it where that
// word begins the key's value: then the key is what does not belong here.
func entry(f *failure) int {
	at := word(f)
	begin := strings.LastIndexByte(f.src.text[:at], '\n') + 1
	if before := strings.Trim(f.src.text[begin:at], " [{"); strings.HasSuffix(before, ":") && !strings.Contains(before, ": ") {
		return begin + strings.Index(f.src.text[begin:at], before)
	}
	return at
}

// strayColon points to a colon that has no key of its own: a second one on its line, or
// one after a line without any, which the library takes for the key's first part.
func strayColon(f *failure) int {
	at := last(":")(f)
	begin := strings.LastIndexByte(f.src.text[:at], '\n') + 1
	above := strings.TrimRight(f.src.text[:begin], " \t\r\n")
	aboveBegin := strings.LastIndexByte(above, '\n') + 1
	line := strings.TrimSpace(above[aboveBegin:])
	if strings.Contains(f.src.text[begin:at], ": ") || line == "" || strings.ContainsAny(line, ":#") {
		return at
	}
	f.message, f.help = noColon, noColonHelp
	return aboveBegin + strings.Index(above[aboveBegin:], line)
}

// inBrackets points to the word that does not fit into a list or mapping in brackets, or
// to the bracket that opens it where the word is not on its line.
func inBrackets(bracket string) func(*failure) int {
	return func(f *failure) int {
		at := word(f)
		line, _, _ := strings.Cut(f.src.text[f.start:], "\n")
		if i := strings.LastIndex(line, bracket); at > f.start+len(line) && i >= 0 {
			f.message, f.help = "the bracket "+bracket+" is not closed", "close it, and put a comma between any two items"
			return f.start + i
		}
		return at
	}
}

const (
	noColon     = "this line is not `key: value`"
	noColonHelp = "put a colon after the key, or \"- \" before an item of a list"
)

// last points to the last of some characters before where the library stopped.
func last(chars string) func(*failure) int {
	return func(f *failure) int {
		return max(0, strings.LastIndexAny(f.src.text[:f.reached], chars))
	}
}

// lineStart points to the first word of the construct's line.
func lineStart(f *failure) int {
	rest := f.src.text[f.start:]
	return f.start + len(rest) - len(strings.TrimLeft(rest, " "))
}

// openQuote points to the last quote of the construct's line that can open a text.
func openQuote(f *failure) int {
	line, _, _ := strings.Cut(f.src.text[f.start:], "\n")
	for i := len(line) - 1; i >= 0; i-- {
		if (line[i] == '"' || line[i] == '\'') && (i == 0 || strings.IndexByte(" \t:,[{", line[i-1]) >= 0) {
			return f.start + i
		}
	}
	return lineStart(f)
}
