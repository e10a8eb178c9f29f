package gotag

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Settings are keys and their values, from wherever they are written.
type settings struct {
	items []spec.Tree // key, value, key, value …
	lost  int         // how many could not be read

	first map[string]spec.Tree // the keys that put has seen among so many of the items; nil: none
	seen  int
}

// get returns the value of a key, and whether there is one.
func (s *settings) get(key string) (value spec.Tree, ok bool) {
	for i := 0; i < len(s.items); i += 2 {
		if s.items[i].Text == key {
			return s.items[i+1], true
		}
	}
	return spec.Tree{}, false
}

// take removes a key that has a meaning in Go alone.
func (s *settings) take(key string) (value spec.Tree, ok bool) {
	for i := 0; i < len(s.items); i += 2 {
		if s.items[i].Text == key {
			value = s.items[i+1]
			s.items = slices.Delete(s.items, i, i+2)
			s.first, s.seen = nil, 0
			return value, true
		}
	}
	return value, false
}

func (s *settings) add(key, value spec.Tree) { s.items = append(s.items, key, value) }

func (s *settings) tree(pos spec.Pos) spec.Tree {
	return yamlread.MapTree(pos, s.items...).Without(s.lost)
}

// A statement is one sentence of the language: a part of a tag, or a directive comment.
type statement struct {
	word  string // "graph", "set", "edge" or "loop_until"
	pos   spec.Pos
	names []spec.Tree // of a graph, its name; of an edge, the nodes before, between and after its arrows
	from  bool        // the first of an edge's names is the node it leaves
	set   settings
}

// statementWords are the words that a statement may begin with.
var statementWords = []string{"graph", "set", "edge", "loop_until"}

// A scan reads the statements of a snippet. Its first mistake ends it.
type scan struct {
	r    *reader
	in   snippet
	next int
	bad  bool

	depth int // of the lists, mappings and parentheses that are open
}

// deepest bounds the nesting of lists, mappings and parentheses.
const deepest = 100

// enter opens a list, a mapping or a parenthesis, and reports whether it is not nested too deep.
// leave closes it.
func (p *scan) enter() (leave func()) {
	if p.depth++; p.depth > deepest {
		p.fail("at most "+strconv.Itoa(deepest)+" lists and mappings in one another", "declare a type for what is nested")
	}
	return func() { p.depth-- }
}

func (p *scan) pos(from, to int) spec.Pos {
	if to = min(to, len(p.in.text)); from >= to {
		return p.r.pos(p.in.at[from], p.in.at[from]+1)
	}
	return p.r.pos(p.in.at[from], p.in.at[to])
}

// fail reports a mistake at what comes next.
func (p *scan) fail(expected, help string) {
	if p.bad {
		return
	}
	p.bad = true
	end, found := p.next, "the end"
	if p.next < len(p.in.text) {
		end = p.next + p.tokenLen()
		found = strconv.Quote(p.in.text[p.next:end])
	}
	p.r.report("GG151", p.pos(p.next, end), "expected "+expected+", found "+found, help)
}

// tokenLen is how long what comes next is: a word or one character.
func (p *scan) tokenLen() int {
	rest := p.in.text[p.next:]
	if n := wordLen(rest); n > 0 {
		return n
	}
	_, size := utf8.DecodeRuneInString(rest)
	return size
}

func (p *scan) space() {
	for p.next < len(p.in.text) && strings.IndexByte(" \t\r\n", p.in.text[p.next]) >= 0 {
		p.next++
	}
}

func (p *scan) at(prefix string) bool { return strings.HasPrefix(p.in.text[p.next:], prefix) }

// eat takes a prefix if it comes next.
func (p *scan) eat(prefix string) bool {
	if !p.at(prefix) {
		return false
	}
	p.next += len(prefix)
	return true
}

func (p *scan) ended() bool { return p.bad || p.next >= len(p.in.text) || p.at(";") }

// tag reads the statements of a tag.
func (p *scan) tag() []statement {
	var list []statement
	for {
		for p.space(); p.eat(";"); p.space() {
		}
		if p.bad || p.next >= len(p.in.text) {
			return list
		}
		list = append(list, p.statement())
	}
}

// statement reads one sentence.
func (p *scan) statement() statement {
	p.space()
	begin := p.next
	s := statement{word: "set", pos: p.pos(begin, begin+max(1, p.tokenLen()))}
	switch {
	case p.at("->"):
		s.word = "edge"
	default:
		n := wordLen(p.in.text[p.next:])
		if word := p.in.text[p.next : p.next+n]; slices.Contains(statementWords, word) && !p.settingAt(p.next) {
			s.word = word
			p.next += n
		}
	}
	switch s.word {
	case "graph":
		p.space()
		if !p.ended() && !p.settingAt(p.next) {
			s.names = []spec.Tree{p.name("the graph's name")}
		}
	case "edge":
		p.arrows(&s)
	}
	for p.space(); !p.ended(); p.space() {
		p.setting(&s.set, true)
	}
	if p.bad {
		s.set.lost++
	}
	return s
}

// settingAt reports whether a setting begins at a byte: a key and =, or a condition.
func (p *scan) settingAt(at int) bool {
	n := wordLen(p.in.text[at:])
	rest := strings.TrimLeft(p.in.text[at+n:], " \t")
	return n > 0 && strings.HasPrefix(rest, "=") || p.in.text[at:at+n] == "if" && n == len("if")
}

// arrows reads the nodes of an edge: a -> b, -> b, a -> b -> c, or a alone.
func (p *scan) arrows(s *statement) {
	p.space()
	if !p.ended() && !p.at("->") && !p.settingAt(p.next) {
		s.names, s.from = append(s.names, p.name("a node or ->")), true
		p.space()
	}
	for !p.bad && p.eat("->") {
		p.space()
		s.names = append(s.names, p.name("the node that the edge leads to"))
		p.space()
	}
}

func (p *scan) name(expected string) spec.Tree {
	if p.at("'") || p.at(`"`) || p.at("`") {
		return p.quoted()
	}
	n := wordLen(p.in.text[p.next:])
	if n == 0 {
		p.fail(expected, statementHelp)
		return spec.Tree{}
	}
	p.next += n
	return yamlread.PlainTree(p.in.text[p.next-n:p.next], p.pos(p.next-n, p.next))
}

const statementHelp = "write settings as key=value, texts of several words in quotes, edges as -> node, with if, priority=… and " +
	"max_iterations=… after it, and ; between statements"

// setting reads a key and its value, or a condition. lists reports whether commas separate list items.
func (p *scan) setting(to *settings, lists bool) {
	begin := p.next
	n := wordLen(p.in.text[begin:])
	if n == 0 {
		p.fail("a setting", statementHelp)
		return
	}
	p.next += n
	key := yamlread.TextTree(p.in.text[begin:p.next], p.pos(begin, p.next))
	p.space()
	var value spec.Tree
	switch {
	case p.eat("="):
		p.space()
		value = p.value(lists)
	case key.Text == "if":
		value = p.condition()
	default:
		p.fail("= after "+strconv.Quote(key.Text), statementHelp)
	}
	if p.bad {
		value = yamlread.LostTree(key.Pos)
	}
	p.r.put(to, key, value)
}

// condition reads a Go expression: up to a semicolon, to the next setting, or to the end.
func (p *scan) condition() spec.Tree {
	rest := p.in.text[p.next:]
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(rest)), []byte(rest), nil, 0)
	end, depth, word := len(rest), 0, -1
tokens:
	for {
		pos, tok, lit := s.Scan()
		at := int(pos) - 1
		switch {
		case tok == token.EOF:
			break tokens
		case tok == token.SEMICOLON && lit == ";" && depth <= 0:
			end = at
			break tokens
		case tok == token.ASSIGN && depth <= 0 && word >= 0:
			end = word
			break tokens
		case tok == token.LPAREN || tok == token.LBRACK || tok == token.LBRACE:
			depth++
		case tok == token.RPAREN || tok == token.RBRACK || tok == token.RBRACE:
			depth--
		}
		word = -1
		if tok == token.IDENT {
			word = at
		}
	}
	end = len(strings.TrimRight(rest[:end], " \t\r\n"))
	if end == 0 {
		p.fail("a Go expression", "write the condition after if, as in if out.Score >= 4")
		return spec.Tree{}
	}
	p.next += end
	return yamlread.TextTree(rest[:end], p.pos(p.next-end, p.next))
}

// value reads an item, or several with commas between them, which make a list. So does a
// word with settings.
func (p *scan) value(lists bool) spec.Tree {
	begin := p.next
	items := []spec.Tree{p.item()}
	for lists && !p.bad {
		end := p.next
		p.space()
		if !p.eat(",") {
			p.next = end
			break
		}
		p.space()
		items = append(items, p.item())
	}
	call := items[0].Kind == yamlread.Map && p.in.text[begin] != '{' // which lists alone can hold
	if len(items) == 1 && !(call && lists) {
		return items[0]
	}
	return yamlread.ListTree(p.pos(begin, p.next), items...)
}

// item reads a word, a text, a list, a mapping, or a word with settings.
func (p *scan) item() spec.Tree {
	begin := p.next
	switch {
	case p.bad:
		return spec.Tree{}
	case p.at("'"), p.at(`"`), p.at("`"):
		return p.quoted()
	case p.at("{"):
		return p.mapping()
	case p.at("[") && !typeText(p.in.text[p.next:]):
		return p.list()
	}
	n := itemLen(p.in.text[begin:])
	if n == 0 {
		p.fail("a value", "write a word, a text in 'single quotes', [a list] or {a: mapping}")
		return spec.Tree{}
	}
	p.next += n
	word := yamlread.PlainTree(p.in.text[begin:p.next], p.pos(begin, p.next))
	if !p.eat("(") {
		return word
	}
	defer p.enter()()
	var inner settings
	for p.space(); !p.bad && !p.eat(")"); p.space() {
		p.setting(&inner, false)
		p.space()
		p.eat(",")
	}
	return yamlread.MapTree(word.Pos, yamlread.TextTree(word.Text, word.Pos), inner.tree(p.pos(begin, p.next)))
}

func (p *scan) list() spec.Tree {
	begin := p.next
	p.eat("[")
	defer p.enter()()
	var items []spec.Tree
	for p.space(); !p.bad && !p.eat("]"); p.space() {
		if len(items) > 0 && !p.eat(",") {
			p.fail("a comma or ]", "close the list; a text of several words needs quotes")
			break
		}
		p.space()
		items = append(items, p.item())
	}
	return yamlread.ListTree(p.pos(begin, p.next), items...)
}

func (p *scan) mapping() spec.Tree {
	begin := p.next
	p.eat("{")
	defer p.enter()()
	var inner settings
	for p.space(); !p.bad && !p.eat("}"); p.space() {
		if len(inner.items) > 0 && !p.eat(",") {
			p.fail("a comma or }", "close the mapping")
			break
		}
		p.space()
		key := p.name("a key")
		p.space()
		if !p.bad && !p.eat(":") {
			p.fail(fmt.Sprintf("a colon after %q", key.Text), "write it as in {key: value}")
		}
		p.space()
		value := p.item()
		if !p.bad {
			p.r.put(&inner, yamlread.TextTree(key.Text, key.Pos), value)
		}
	}
	return inner.tree(p.pos(begin, p.next))
}

// quoted reads a text in quotes of any of Go's kinds, single ones too.
func (p *scan) quoted() spec.Tree {
	begin, quote := p.next, p.in.text[p.next]
	end := begin + 1
	for end < len(p.in.text) && p.in.text[end] != quote {
		if p.in.text[end] == '\\' && quote != '`' {
			end++
		}
		end++
	}
	if end >= len(p.in.text) {
		p.fail("a closing "+string(quote), "close the quote")
		return spec.Tree{}
	}
	p.next = end + 1
	text, ok := p.in.slice(begin, p.next).unquote()
	if !ok {
		p.next = begin
		p.fail("a text with Go's escapes", `write \\ for a backslash`)
		return spec.Tree{}
	}
	pos := p.pos(begin, p.next)
	if len(text.text) > 0 {
		pos = p.pos(begin+1, end)
	}
	return yamlread.TextTree(text.text, pos)
}

// wordLen is how long the name at the beginning of a text is. An arrow ends it.
func wordLen(text string) int {
	for i, c := range text {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c), c == '_', c == '.' && i > 0:
		case c == '-' && i > 0 && !strings.HasPrefix(text[i:], "->"):
		default:
			return i
		}
	}
	return len(text)
}

// typeText reports whether a text that begins with a bracket is a list type.
func typeText(text string) bool {
	after, ok := strings.CutPrefix(text, "[]")
	c, _ := utf8.DecodeRuneInString(after)
	return ok && (unicode.IsLetter(c) || c == '_' || c == '?' || c == '[')
}

// itemLen is how long the word at the beginning of a text is, types with their brackets.
func itemLen(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\n,;]}):({=\"'`", c) >= 0, strings.HasPrefix(text[i:], "->"):
			return i
		case c == '[':
			end := strings.IndexByte(text[i:], ']')
			if end < 0 {
				return i
			}
			i += end
		}
	}
	return len(text)
}

// put adds a setting, or reports that it has been written before.
func (r *reader) put(to *settings, key, value spec.Tree) {
	if first, twice := r.written(to, key.Text); twice {
		r.add(diag.Diagnostic{Code: "GG155", Pos: key.Pos, Message: strconv.Quote(key.Text) + " is written twice",
			Help: "remove one of them", Related: []diag.Related{{Pos: first.Pos, Message: "the first one is here"}}})
		to.lost++
		return
	}
	to.add(key, value)
}

// few is how many settings are compared one by one.
const few = 16

// written returns where a key of settings is written first.
func (r *reader) written(to *settings, key string) (first spec.Tree, ok bool) {
	if len(to.items) <= 2*few {
		for i := 0; i < len(to.items); i += 2 {
			r.pkg.steps++
			if to.items[i].Text == key {
				return to.items[i], true
			}
		}
		return spec.Tree{}, false
	}
	if to.first == nil {
		to.first = map[string]spec.Tree{}
	}
	for ; to.seen < len(to.items); to.seen += 2 {
		r.pkg.steps++
		if k := to.items[to.seen]; !has(to.first, k.Text) {
			to.first[k.Text] = k
		}
	}
	first, ok = to.first[key]
	return first, ok
}

func has(m map[string]spec.Tree, key string) bool {
	_, ok := m[key]
	return ok
}

// putAll adds settings that were read together.
func (r *reader) putAll(to *settings, set settings) {
	for i := 0; i < len(set.items); i += 2 {
		r.put(to, set.items[i], set.items[i+1])
	}
	to.lost += set.lost
}
