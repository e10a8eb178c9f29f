// Package diagram draws a planned machine: as Mermaid, for Markdown pages, and as DOT, for
// Graphviz. Both show the states from top to bottom. A transition with a condition, judged
// edges and tool calls included, is a solid line with its condition. One without is dashed.
// Failure routes are red. Bounds are part of the label, as in ≤3. A composite node is a box
// around its children.
package diagram

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
)

// A link is one line of a diagram.
type link struct {
	from, to string // identifiers
	label    []string
	style    linkStyle
}

type linkStyle uint8

const (
	conditional   linkStyle = iota
	unconditional           // dashed
	failure                 // red
)

// Identifiers of the states that are no nodes. Those of nodes are n1, n2, …, so that no name of a
// node is a keyword of the diagram's language.
const (
	startID   = "start"
	endID     = "stop"
	failureID = "failure"
)

func id(n *plan.Node) string {
	if n == nil {
		return endID
	}
	return "n" + strconv.Itoa(n.ID)
}

// links returns the lines of a machine, node by node, the transitions of a node in the order in
// which they are tried.
func links(m *plan.Machine) []link {
	list := []link{{from: startID, to: id(m.Entry), style: unconditional}}
	for _, n := range m.Nodes {
		list = append(list, regionLinks(n)...)
		if w := n.ToolLoop; w != nil {
			list = append(list, link{from: id(n), to: id(w.To), label: []string{w.Text}})
		}
		for _, t := range n.Called {
			list = append(list, link{from: id(n), to: id(t.Way.To), label: label(t)})
		}
		for _, t := range n.Tests {
			style := conditional
			if t.Kind == plan.Always && event(t.Way) == "" {
				style = unconditional
			}
			list = append(list, link{from: id(n), to: id(t.Way.To), label: label(t), style: style})
		}
		for _, t := range n.SkipTests {
			if !slices.ContainsFunc(n.Tests, func(is plan.Test) bool { return is.Way == t.Way }) {
				list = append(list, link{from: id(n), to: id(t.Way.To), label: bounded(t.Way, named(t.Way, "skipped")), style: conditional})
			}
		}
		if l, ok := ending(n); ok {
			list = append(list, l)
		}
		for _, t := range n.GuardFail {
			list = append(list, failing(n, t.Way, "guard failed"))
		}
		for _, t := range n.Failed {
			list = append(list, failing(n, t.Way, "error"))
		}
		for _, w := range []*plan.Way{n.Denied, n.Late} {
			if w != nil {
				list = append(list, link{from: id(n), to: id(w.To), label: []string{answers[w.Text]}})
			}
		}
		if n.ErrorTo != nil {
			list = append(list, failing(n, n.ErrorTo, "error"))
		}
	}
	if m.OnError != nil {
		list = append(list, link{from: failureID, to: id(m.OnError.To), label: []string{"on_error"}, style: failure})
	}
	return list
}

// ending returns the line to the end for a node whose run may end. A child of a composite node does
// not end the run, nor has a template one.
func ending(n *plan.Node) (l link, ok bool) {
	if n.Host != nil || n.Template {
		return link{}, false
	}
	l = link{from: id(n), to: endID, style: unconditional}
	switch n.Default.Kind {
	case plan.Terminal:
		return l, true
	case plan.Exhausted:
		l.label = []string{"used up"}
		return l, true
	case plan.End:
		l.label = []string{"no match"}
		return l, true
	case plan.Error:
		l.label, l.style = []string{"none holds"}, conditional
		return l, mayDecline(n)
	}
	return l, false
}

// mayDecline reports whether the model may be asked about a single edge. Its no completes the run.
func mayDecline(n *plan.Node) bool {
	judged, lasting := 0, 0
	for _, t := range n.Tests {
		if t.Kind == plan.When {
			judged++
			if t.Way.Max == 0 {
				lasting++
			}
		}
	}
	return judged > 0 && lasting <= 1
}

// events are the labels of events that are no failures.
var events = map[string]string{"on tool_call": "tool calls", "on no_tool_call": "no tool calls"}

// answers are the labels of the transitions of human nodes.
var answers = map[string]string{"on_deny": "denied", "on_timeout": "too late"}

func event(w *plan.Way) string { return events[w.Text] }

func failing(n *plan.Node, w *plan.Way, what string) link {
	return link{from: id(n), to: id(w.To), label: bounded(w, named(w, what)), style: failure}
}

// label returns the label of a transition: the author's label, the condition, the bound.
func label(t plan.Test) []string {
	w := t.Way
	switch t.Kind {
	case plan.If:
		return bounded(w, named(w, strings.TrimPrefix(w.Text, "if ")))
	case plan.Goto:
		return []string{w.Rule.String()}
	case plan.Always:
		return bounded(w, named(w, event(w)))
	case plan.Label, plan.Value:
		return bounded(w, named(w, ""))
	}
	return bounded(w, named(w, w.Text))
}

func named(w *plan.Way, text string) []string {
	var lines []string
	for _, line := range []string{w.Label, text} {
		if line = oneLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func bounded(w *plan.Way, lines []string) []string {
	if w.Max > 0 {
		lines = append(lines, "≤"+strconv.Itoa(w.Max))
	}
	return lines
}

// longest is the most characters of a label.
const longest = 60

// oneLine puts a text on one line, and cuts it if it is too long.
func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return string(runes)
}

// reachesEnd reports whether a line leads to end.
func reachesEnd(list []link) bool {
	for _, l := range list {
		if l.to == endID {
			return true
		}
	}
	return false
}
