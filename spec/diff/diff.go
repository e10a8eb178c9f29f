// Package diff compares two versions of a spec by meaning. It is for reviews: a diff of the text
// shows every moved line and hides its effect.
//
// Comments, labels, formatting, the shorthands of edges, explicit defaults and the order of things
// without an order are no changes. The order of edges is a change if it can decide where a run
// goes. Docs are no changes, except docs of tools, by which models choose.
package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/expr"
)

// Kind is the kind of a change.
type Kind uint8

const (
	Changed Kind = iota
	Added
	Removed
)

// A Section is the part of a spec that a change belongs to.
type Section uint8

// The sections, in the order of the output.
const (
	Graph Section = iota
	Limits
	Types
	State
	Tools
	MCP
	Mutations
	Nodes
	Edges
	Assertions
)

// String returns the section's heading.
func (s Section) String() string {
	return [...]string{"graph", "limits", "types", "state", "tools", "mcp", "mutations", "nodes", "edges", "assertions"}[s]
}

// A Change is one difference in meaning.
type Change struct {
	Kind    Kind
	Section Section
	Of      string   // the node, or a field as Verdict.score; empty: the section itself
	What    string   // in words
	Pos     spec.Pos // in the new spec; for Removed in the old one
}

// Between returns the changes from one spec to another, section by section. It works on any two
// specs that can be read, even with errors.
func Between(from, to *cfg.Graph) []Change {
	d := &difference{}
	old, new := from.Spec.Spec, to.Spec.Spec
	d.graphs(old, new)
	d.limits(&old.Limits, &new.Limits)
	d.types(old, new)
	d.state(old.State, new.State)
	d.tools(old.Tools, new.Tools)
	d.servers(old.MCP, new.MCP)
	d.settings(Mutations, "", mutations(old), mutations(new), nil)
	d.nodes(from, to)
	d.edges(from, to)
	d.assertions(old.Assertions, new.Assertions)
	slices.SortStableFunc(d.found, func(a, b Change) int { return cmp.Compare(a.Section, b.Section) })
	return d.found
}

// A difference collects changes.
type difference struct{ found []Change }

func (d *difference) add(c Change) { d.found = append(d.found, c) }

// Keys that have no effect on a run, or that another comparison covers.
var (
	graphExcluded = []string{"doc", "entry", "no_match", "edges"}
	nodeExcluded  = []string{"doc", "max_visits", "output", "flags", "goto", "routes", "transitions", "next", "no_match",
		"on_pass", "on_fail", "on_deny", "on_timeout"}
	fieldExcluded = []string{"doc"}
)

func (d *difference) graphs(old, new *spec.Graph) {
	d.settings(Graph, "", old.Settings(), new.Settings(), graphExcluded)
	if was, is := goal(old), goal(new); was != is && was != "" && is != "" {
		d.add(Change{Section: Graph, What: "doc: " + arrow(shorten(was), shorten(is)), Pos: new.Doc.Pos})
	}
	if was, is := entry(old), entry(new); was != is {
		d.add(Change{Section: Graph, What: "entry: " + arrow(was, is), Pos: new.Entry.Pos})
	}
}

// goal returns the doc of an autonomous graph, which its model reads.
func goal(g *spec.Graph) string {
	if g.Mode.V != "autonomous" {
		return ""
	}
	return g.Doc.V
}

// mutations returns the settings of a graph's mutations.
func mutations(g *spec.Graph) []spec.Setting {
	if g.Mutations == nil {
		return nil
	}
	return g.Mutations.Settings()
}

// entry returns the name of the first node of a run, from the key entry or the flag.
func entry(g *spec.Graph) string {
	if g.Entry.IsSet() {
		return g.Entry.V
	}
	for _, n := range g.Nodes {
		if _, ok := n.Flag(spec.Entry); ok {
			return n.Name.V
		}
	}
	return none
}

func (d *difference) limits(old, new *spec.Limits) {
	d.settings(Limits, "", old.Settings(), new.Settings(), nil)
}

// assertions compares assertions as sets.
func (d *difference) assertions(old, new []*spec.Assertion) {
	sentence := func(a *spec.Assertion) string { return strings.Join(strings.Fields(a.That.V), " ") }
	has := func(list []*spec.Assertion, text string) bool {
		return slices.ContainsFunc(list, func(a *spec.Assertion) bool { return sentence(a) == text })
	}
	for _, side := range []struct {
		list, other []*spec.Assertion
		kind        Kind
	}{{new, old, Added}, {old, new, Removed}} {
		for i, a := range side.list {
			if text := sentence(a); text != "" && !has(side.other, text) && !has(side.list[:i], text) {
				d.add(Change{Kind: side.kind, Section: Assertions, What: text, Pos: a.That.Pos})
			}
		}
	}
}

// none is the text of a missing value.
const none = "none"

func arrow(was, is string) string { return was + " → " + is }

// settings compares settings whose values are texts or lists of names. A missing setting has its
// default.
func (d *difference) settings(section Section, of string, old, new []spec.Setting, apart []string) {
	find := func(list []spec.Setting, key string) *spec.Setting {
		for i := range list {
			if list[i].Key.Name == key {
				return &list[i]
			}
		}
		return nil
	}
	has := map[string]bool{}
	for _, s := range slices.Concat(new, old) {
		key := s.Key.Name
		if has[key] || slices.Contains(apart, key) {
			continue
		}
		has[key] = true
		was, is := find(old, key), find(new, key)
		if text := compareSetting(&s.Key, was, is); text != "" {
			c := Change{Section: section, Of: of, What: key + ": " + text, Pos: s.Pos}
			d.add(c)
		}
	}
}

// compareSetting returns the change of a setting, or "". Lists of names are compared as sets,
// except those whose order counts.
func compareSetting(k *spec.Key, was, is *spec.Setting) string {
	if (k.Form == spec.FormNames || k.Form == spec.FormWords || k.Form == spec.FormNameList) && !slices.Contains(chains, k.Name) {
		return compareSets(names(was), names(is))
	}
	before, after := textOf(k, was), textOf(k, is)
	if before == after || k.Form == spec.FormCondition && expr.Same(before, after) {
		return ""
	}
	return arrow(shorten(before), shorten(after))
}

// shorten returns a text, or the number of its words if it is too long.
func shorten(text string) string {
	if !strings.Contains(text, "\n") && utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return fmt.Sprintf("a text of %d words", len(strings.Fields(text)))
}

// maxText is the longest text that a change quotes.
const maxText = 80

// chains are the lists whose order counts.
var chains = []string{"before", "after", "body"}

func names(s *spec.Setting) []string {
	if s == nil {
		return nil
	}
	return s.Names
}

func textOf(k *spec.Key, s *spec.Setting) string {
	switch {
	case s != nil && s.Names == nil && (s.Text == "" || s.Text == none):
		return strconv.Quote(s.Text) // distinguish a written none from a missing value
	case s != nil:
		return s.Text
	case k.Default == "":
		return none
	case k.Form == spec.FormDuration:
		if t, err := time.ParseDuration(k.Default); err == nil {
			return t.String()
		}
	}
	return k.Default
}

// compareSets returns the names that were added and removed, or "".
func compareSets(old, new []string) string {
	var parts []string
	for _, n := range new {
		if !slices.Contains(old, n) {
			parts = append(parts, "+ "+n)
		}
	}
	for _, n := range old {
		if !slices.Contains(new, n) {
			parts = append(parts, "- "+n)
		}
	}
	return strings.Join(parts, ", ")
}

// pairs calls f for each name of two lists, with its entry in each.
func pairs[T any](old, new []T, name func(T) string, f func(name string, was, is *T)) {
	places := map[string]int{}
	for i, n := range old {
		if _, twice := places[name(n)]; !twice {
			places[name(n)] = i
		}
	}
	done := map[string]bool{}
	for i, n := range new {
		if done[name(n)] {
			continue
		}
		done[name(n)] = true
		if at, ok := places[name(n)]; ok {
			f(name(n), &old[at], &new[i])
		} else {
			f(name(n), nil, &new[i])
		}
	}
	for i, n := range old {
		if !done[name(n)] {
			done[name(n)] = true
			f(name(n), &old[i], nil)
		}
	}
}
