package randomgraph

import (
	"fmt"
	"strings"
)

// outputs are the fields that an output may have, conditions over them, and values that an on_output compares them with. In a condition
// T is the name of the enum's type, and N a number.
var outputs = []struct {
	name, typ       string
	conds, onOutput []string
}{
	{"ok", "bool", []string{"out.Ok"}, []string{"true", "false"}},
	{"maybe", "'?int'", []string{"*out.Maybe > 1", "out.Maybe != nil", "out.Maybe != nil && *out.Maybe > 1", "out.Maybe == nil || *out.Maybe > 2"},
		[]string{"2"}},
	{"msg", "string", []string{`out.Msg == "ab"`, `strings.HasPrefix(out.Msg, "a")`, "len(out.Msg) > 1", `strings.Contains(out.Msg, "b")`},
		[]string{"ab"}},
	{"status", "{enum: [good, bad, odd]}", []string{"out.Status == $TGood", "out.Status != $TBad", `out.Status.String() == "odd"`},
		[]string{"good", "bad"}},
	{"score", "int", []string{"out.Score > $N", "10/out.Score > 4", "min(out.Score, 3) == 3"}, []string{"3"}},
}

// comparisons are conditions over a field X of a type, and a number N.
var comparisons = map[string][]string{
	"int":            {"$X >= $N", "$X%3 == 1"},
	"bool":           {"$X"},
	"string":         {`$X == "ab"`, "len($X) > 1"},
	"[]int":          {"len($X) > $N", "slices.Contains($X, $N)", "$X[1] > 1"},
	"[]string":       {"len($X) > $N", `slices.Contains($X, "b")`},
	"map[string]int": {`$X["a"] > $N`},
	"?int":           {"$X != nil && *$X > $N", "*$X > 1"},
	"float":          {"$X > $N"},
}

// condition makes an expression over the output, the state and the result.
func (m *maker) condition(n *node) string {
	c := m.simple(n)
	switch k := m.IntN(10); {
	case k == 0:
		return "!(" + c + ")"
	case k < 3:
		return c + pick(m, " && ", " || ") + m.simple(n)
	}
	return c
}

// simple is a condition of one comparison.
func (m *maker) simple(n *node) string {
	switch {
	case !m.inRegion && m.chance(15):
		return m.aboutResult(n)
	case (n.free || n.kind == "set") && m.chance(60):
		return m.aboutOutput(n)
	case n.last != nil && m.chance(40):
		return m.aboutOutput(n.last)
	}
	return m.aboutState()
}

// aboutResult asks for what the node's flags make possible.
func (m *maker) aboutResult(n *node) string {
	switch {
	case n.kind == "loop" && m.chance(40):
		return m.compare("res.Iterations > $N")
	case n.soft && m.chance(40):
		return "res.Err != nil"
	case n.retry && m.chance(40):
		return "res.Attempts > 1"
	case n.cache && m.chance(40):
		return "res.Cached"
	case (n.loops || n.defers) && m.chance(40):
		return pick(m, "res.ToolCalls > 1", "res.ToolFailures > 0")
	}
	return pick(m, fmt.Sprintf("res.Visit > %d", 1+m.IntN(4)), "res.Step%2 == 0")
}

func (m *maker) aboutOutput(n *node) string {
	if n.kind == "set" {
		f := m.stateField(pick(m, n.writes...))
		return m.aboutField("out."+goName(f.name), f.typ)
	}
	f := outputs[min(m.IntN(len(outputs)+1), len(outputs)-1)] // the score twice
	n.field(f.name, f.typ)
	return m.compare(pick(m, f.conds...), "$T", goName(m.name)+goName(n.name)+"OutStatus")
}

// aboutState compares a field of the state.
func (m *maker) aboutState() string {
	f := pick(m, m.state...)
	return m.aboutField("state."+goName(f.name), f.typ)
}

func (m *maker) aboutField(expr, typ string) string {
	return m.compare(pick(m, comparisons[typ]...), "$X", expr)
}

// compare replaces the number of a condition, and more.
func (m *maker) compare(cond string, more ...string) string {
	return strings.NewReplacer(append(more, "$N", fmt.Sprint(m.IntN(4)))...).Replace(cond)
}

// matchOutput is an on_output condition, or an if where the node has no output that fits.
func (m *maker) matchOutput(n *node) string {
	if n.free {
		f := pick(m, outputs...)
		n.field(f.name, f.typ)
		return fmt.Sprintf("on_output: {%s: %s}", f.name, pick(m, f.onOutput...))
	}
	if n.kind == "set" {
		for _, name := range n.writes {
			switch m.stateField(name).typ {
			case "int", "?int":
				return fmt.Sprintf("on_output: {%s: %d}", name, 1+m.IntN(3))
			case "bool":
				return "on_output: {" + name + ": true}"
			case "string":
				return "on_output: {" + name + ": ab}"
			}
		}
	}
	return m.test(n)
}
