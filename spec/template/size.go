package template

import (
	"fmt"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// What the templates and the skill groups of a graph may become: as much as may be written.
const (
	mostNodes = 1<<15 - 1 // as many as a graph may have
	mostBytes = yamlread.MaxFile
	mostDepth = yamlread.MaxDepth // of templates that use one another, and of the value of a parameter
)

// valueBytes is what a value takes besides its text: its indentation, a colon or a dash, the end of its line.
const valueBytes = 8

// A size counts what the templates and skill groups of a graph become, before it is made.
type size struct {
	bytes int
	of    map[string]int // by what makes it: the template "t"
	over  bool           // reported; nothing more is made
}

// makes counts bytes that a template or a skill group makes at a use. It reports whether they may be made.
func (e *expansion) makes(bytes int, what string, use spec.Pos) bool {
	if e.size.over {
		return false
	}
	if e.size.of == nil {
		e.size.of = map[string]int{}
	}
	e.size.bytes += bytes
	e.size.of[what] += bytes
	if e.size.bytes > mostBytes {
		e.tooLarge(use, fmt.Sprintf("more than the %d MiB that a spec may have", mostBytes>>20))
	}
	return !e.size.over
}

// tooLarge reports what the graph would become, with the template that makes most of it.
func (e *expansion) tooLarge(use spec.Pos, become string) {
	most := ""
	for what, bytes := range e.size.of {
		if was := e.size.of[most]; bytes > was || bytes == was && what < most {
			most = what
		}
	}
	e.size.over, e.graph.Lost = true, true
	e.report("GG344", use, "the graph would become "+become+": "+most+" makes most of it",
		"a template that gives a parameter to another one several times, or uses others several times, multiplies them; write fewer")
}

// makesAll counts a value and all in it, as makes does.
func (e *expansion) makesAll(value *spec.Tree, what string, use spec.Pos) bool {
	if !e.makes(len(value.Text)+valueBytes, what, use) {
		return false
	}
	for i := range value.Items {
		if !e.makesAll(&value.Items[i], what, use) {
			return false
		}
	}
	return true
}

// makes counts a value with a text that the template makes.
func (b *binding) makes(text int) bool { return b.e.makes(text+valueBytes, b.what, b.at) }

// puts counts a value that replaces a parameter. It reports whether it may be put there.
func (b *binding) puts(value *spec.Tree) bool {
	if !b.e.makesAll(value, b.what, b.at) {
		return false
	}
	if deeper(value, mostDepth) {
		b.e.size.over, b.e.graph.Lost = true, true
		b.e.report("GG344", b.at, fmt.Sprintf("the template %q makes a value that is nested more than %d deep", b.template.Name.V, mostDepth),
			"give other templates the parameter as it is")
	}
	return !b.e.size.over
}

// deeper reports whether values are nested in a value more than so deep.
func deeper(value *spec.Tree, depth int) bool {
	return depth == 0 || slices.ContainsFunc(value.Items, func(item spec.Tree) bool { return deeper(&item, depth-1) })
}
