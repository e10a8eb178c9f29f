package differential

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// A scripter makes random scripts for a graph.
type scripter struct {
	*rand.Rand
	s     *shapes
	wild  int // of 100 executions, how many fail
	names []string

	distinct bool // no list has anything twice: maps may run over it
}

// randomScript returns a script for a graph: what every handler and guard does.
func randomScript(r *rand.Rand, s *shapes) *scriptdriver.Script {
	w := &scripter{Rand: r, s: s, wild: []int{0, 5, 25}[r.IntN(3)], names: []string{"", "end", "__end__", "END", "nowhere", "error", "k0", "t0", "t1"}}
	for _, n := range s.nodes {
		w.names = append(w.names, n.Name.V)
	}
	for _, end := range s.Ends {
		w.names = append(w.names, end.V)
	}
	w.distinct = s.inner != nil || slices.ContainsFunc(s.nodes, (*nodeShape).composite)
	script := &scriptdriver.Script{Input: map[string]any{}, Nodes: map[string][]scriptdriver.Entry{}, Break: 1 + r.IntN(12)}
	for _, f := range s.pick(s.Input) {
		script.Input[f.name] = w.value(f.name, f.shape)
	}
	w.play(script, s)
	if s.inner != nil {
		inner := *w
		inner.s = s.inner
		inner.play(script, s.inner)
	}
	return script
}

// play adds what the handlers and guards of a graph do.
func (w *scripter) play(script *scriptdriver.Script, s *shapes) {
	for _, n := range s.nodes {
		for range 1 + w.IntN(6) {
			script.Nodes[scriptdriver.PersonOf(n.Name.V)] = append(script.Nodes[scriptdriver.PersonOf(n.Name.V)], w.person(n))
		}
		if n.kind == "autonomous" {
			for range 2 + w.IntN(5) {
				script.Nodes[n.Name.V] = append(script.Nodes[n.Name.V], w.picked(n))
			}
		}
		if n.composite() || n.kind == "subgraph" {
			continue
		}
		for range 1 + w.IntN(6) {
			script.Nodes[n.Name.V] = append(script.Nodes[n.Name.V], w.entry(n))
		}
		if judge := scriptdriver.JudgeOf(n.Name.V); s.judged(n) {
			for range 1 + w.IntN(5) {
				script.Nodes[judge] = append(script.Nodes[judge], w.judgement())
			}
		}
		for _, g := range n.GuardNames() {
			for range 1 + w.IntN(4) {
				script.Nodes[g.V] = append(script.Nodes[g.V], scriptdriver.Entry{Kind: w.kind(10 + w.wild)})
			}
		}
	}
}

// picked is the answer of a model that picks a node of a pool, or none.
func (w *scripter) picked(n *nodeShape) scriptdriver.Entry {
	e := scriptdriver.Entry{Kind: w.kind(0), Goto: w.IntN(1 + len(n.Pool)), Text: `{"route": "end"}`}
	if e.Goto > 0 {
		e.Text = jsonText(map[string]any{"route": n.Pool[e.Goto-1].V})
	}
	return e
}

// kind is how an execution ends; rejections in rejects of 100 cases.
func (w *scripter) kind(rejects int) string {
	if w.IntN(100) < rejects {
		return scriptdriver.Rejects
	}
	if w.IntN(100) >= w.wild {
		return ""
	}
	return []string{scriptdriver.Fails, scriptdriver.Fails, scriptdriver.Transient, scriptdriver.Transient, scriptdriver.Panics}[w.IntN(5)]
}

func (w *scripter) entry(n *nodeShape) scriptdriver.Entry {
	e := scriptdriver.Entry{Out: map[string]any{}, Set: map[string]any{}}
	rejects := 0
	if n.kind == "guard" {
		rejects = 20 + w.wild
	}
	e.Kind = w.kind(rejects)
	if n.Timeout.IsSet() {
		e.Kind = scriptdriver.Waits
	}
	if n.out != nil {
		w.fillOut(e.Out, n)
	}
	if n.takesState && !n.byValue {
		for _, f := range w.s.state.fields {
			if w.IntN(3) == 0 {
				e.Set[f.name] = w.value(f.name, f.shape)
			}
		}
	}
	e.Goto = w.choice(len(n.choices), n.kind == "router")
	e.Label = w.choice(len(n.labels), true)
	if n.asks {
		w.answer(&e, n)
	}
	return e
}

func (w *scripter) fillOut(out map[string]any, n *nodeShape) {
	if n.out.base != "struct" {
		out[""] = w.value("", *n.out)
		return
	}
	for _, f := range n.out.fields {
		out[f.name] = w.value(f.name, f.shape)
	}
}

// choice is one of a choice's values, sometimes none, seldom one that there is not.
func (w *scripter) choice(count int, required bool) int {
	none := 50
	if required {
		none = 5
	}
	switch {
	case count == 0, w.IntN(100) < none && (w.wild > 0 || !required):
		return 0
	case w.IntN(200) < w.wild:
		return count + 1
	}
	return 1 + w.IntN(count)
}

// value is a random value of a type. What a field of that name means is regarded.
func (w *scripter) value(name string, s shape) any {
	if s.optional && w.IntN(3) == 0 {
		return nil
	}
	switch s.base {
	case "int":
		return w.IntN(5)
	case "float":
		return float64(w.IntN(5)) / 4
	case "bool":
		return w.IntN(2) == 0
	case "string":
		switch name {
		case "route", "_next", "next_step", "goto":
			return w.names[w.IntN(len(w.names))]
		}
		return []string{"", "a", "ab", "b", "bab"}[w.IntN(5)]
	case "[]int":
		if w.distinct {
			return w.Perm(6)[:w.IntN(5)]
		}
		list := []int{}
		for range w.IntN(4) {
			list = append(list, w.IntN(4))
		}
		return list
	case "[]string":
		list := []string{}
		if w.distinct {
			for _, i := range w.Perm(5)[:w.IntN(4)] {
				list = append(list, string(rune('a'+i)))
			}
			return list
		}
		for range w.IntN(4) {
			list = append(list, string(rune('a'+w.IntN(3))))
		}
		return list
	case "map[string]int":
		m := map[string]int{}
		for range w.IntN(3) {
			m[string(rune('a'+w.IntN(3)))] = w.IntN(4)
		}
		return m
	case "enum":
		return w.enum(len(s.values), s.optional)
	case "messages":
		return w.conversation()
	case "image", "pdf":
		return fmt.Sprint(s.base, w.IntN(3))
	case "[]audio":
		list := []string{}
		for range w.IntN(3) {
			list = append(list, fmt.Sprint("audio", w.IntN(3)))
		}
		return list
	}
	panic("no value of type " + s.base)
}

func (w *scripter) enum(count int, optional bool) int {
	switch k := w.IntN(100); {
	case k < w.wild/4 && !optional:
		return 0
	case k < w.wild/3 && !optional:
		return count + 1
	}
	return 1 + w.IntN(count)
}
