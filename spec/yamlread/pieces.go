package yamlread

import (
	"cmp"
	"regexp"
	"strings"
)

// Pieces keep what the entries of files are as YAML, so that an editor parses only the entry that has changed: the library takes a third of the time
// of a check. One goroutine at a time uses them.
type Pieces struct {
	files map[string]map[string]*piece // by file, and by the text of the entry: those that the file had when it was last read
	few   int                          // shorter files and entries are not cut, in lines; 0: fewLines
}

// A piece is an entry of a file, by what the library makes of its text alone.
type piece struct {
	node *node // a mapping or a list
	line int   // of the file, with which the text begins; the places in node are by it
}

const fewLines = 40

// decode is decode for the text of a file. It returns nil where the text is not certain to be what its entries are: the file as a whole says what is
// wrong then.
func (p *Pieces) decode(file string, src *source) *node {
	if p == nil {
		return nil
	}
	c := &cutter{src: src, few: cmp.Or(p.few, fewLines), before: p.files[file], now: map[string]*piece{}}
	if len(src.lines) < c.few {
		return nil
	}
	node := c.mapping(1, len(src.lines)+1, topKey)
	if node == nil {
		return nil
	}
	if p.files == nil {
		p.files = map[string]map[string]*piece{}
	}
	p.files[file] = c.now
	return node
}

// A cutter cuts a file into entries.
type cutter struct {
	src    *source
	few    int
	before map[string]*piece
	now    map[string]*piece
}

var (
	topKey   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*:(?: |$)`)
	innerKey = regexp.MustCompile(`^ +[A-Za-z_][A-Za-z0-9_-]*:(?: |$)`)
	dash     = regexp.MustCompile(`^ *- `)
	bareKey  = regexp.MustCompile(`^ *[A-Za-z_][A-Za-z0-9_-]*: *(?:#.*)?$`)
)

// mapping returns the mapping of the lines from first to before the line end. Each entry begins with a line that matches.
func (c *cutter) mapping(first, end int, begins *regexp.Regexp) *node {
	return c.parts(first, end, begins, c.entry, joinMaps)
}

// list returns the list of the lines.
func (c *cutter) list(first, end int) *node { return c.parts(first, end, dash, c.piece, joinLists) }

// parts returns what the parts of a block of lines are together.
func (c *cutter) parts(first, end int, begins *regexp.Regexp, part func(first, end int) *node, join func([]*node) *node) *node {
	var list []*node
	starts := c.starts(first, end, begins)
	for i := 0; i+1 < len(starts); i++ {
		n := part(starts[i], starts[i+1])
		if n == nil {
			return nil
		}
		list = append(list, n)
	}
	return join(list)
}

// entry returns the mapping with the one entry of the lines. Its value may be cut too.
func (c *cutter) entry(first, end int) *node {
	if end-first < c.few || !bareKey.MatchString(c.src.line(first)) {
		return c.piece(first, end)
	}
	value := c.mapping(first+1, end, innerKey)
	if value == nil {
		value = c.list(first+1, end)
	}
	if value == nil {
		return c.piece(first, end)
	}
	return withValue(c.piece(first, first+1), value)
}

// starts returns the lines with which the entries of a block begin, and the one after the last entry; nil where lines are not clear to be in an entry: the
// first one begins the first entry, all begin in the same column, and all between are deeper, are comments, or are empty.
func (c *cutter) starts(first, end int, begins *regexp.Regexp) (starts []int) {
	depth := 0
	for n := first; n < end; n++ {
		line := c.src.line(n)
		deep := len(line) - len(strings.TrimLeft(line, " "))
		switch blank := strings.TrimLeft(line, " \t"); {
		case blank == "" || blank[0] == '#':
			if len(starts) == 0 && len(blank)+deep < len(line) { // a tab before the first entry, of which no piece would have it
				return nil
			}
			continue
		case len(starts) == 0:
			depth = deep
		case deep > depth:
			continue
		case deep < depth:
			return nil
		}
		if !begins.MatchString(line) {
			if len(starts) > 0 && begins == topKey && strings.HasPrefix(line, "- ") { // of a list that is not indented
				continue
			}
			return nil
		}
		starts = append(starts, n)
	}
	if len(starts) == 0 {
		return nil
	}
	return append(starts, end)
}

// piece returns what lines are alone, nil if they are not one value.
func (c *cutter) piece(first, end int) *node {
	text := c.src.text[c.src.lines[first-1]:]
	if end <= len(c.src.lines) {
		text = c.src.text[c.src.lines[first-1]:c.src.lines[end-1]]
	}
	if c.now[text] == nil && c.before[text] != nil {
		p := c.before[text]
		move(p.node, first-p.line)
		p.line, c.now[text] = first, p
		return p.node
	}
	doc, err := decode(strings.NewReader(text))
	if err != nil || len(doc.Content) != 1 {
		return nil
	}
	p := &piece{doc.Content[0], first}
	move(p.node, first-1)
	if c.now[text] == nil { // else the file has the entry twice
		c.now[text] = p
	}
	return p.node
}

// move moves a node and all in it down.
func move(n *node, lines int) {
	if lines == 0 {
		return
	}
	n.Line += lines
	for _, inner := range n.Content {
		move(inner, lines)
	}
}
