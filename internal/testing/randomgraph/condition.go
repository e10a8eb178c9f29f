package randomgraph

import (
	"fmt"
	"strings"
)

// condition makes an expression over the output, the state and the result.
func (m *maker) condition(n *node) string {
	for range 20 {
		if c := m.simple(n); c != "" {
			switch k := m.IntN(10); {
			case k == 0:
				return "!(" + c + ")"
			case k < 3:
				if d := m.simple(n); d != "" {
					return c + pick(m, " && ", " || ") + d
				}
			}
			return c
		}
	}
	return "res.Step%2 == 0"
}

// simple is a condition of one comparison; empty if the random choice does not fit.
func (m *maker) simple(n *node) string {
	number := m.IntN(4)
	if m.chance(15) {
		return m.aboutResult(n, number)
	}
	if (n.free || n.kind == "set") && m.chance(60) {
		return m.aboutOutput(n, number)
	}
	if n.last != nil && m.chance(40) {
		return m.aboutOutput(n.last, number)
	}
	f := pick(m, m.state...)
	return aboutField(m, "state."+goName(f.name), f.typ, number)
}

// aboutResult asks for what the node's flags make possible.
func (m *maker) aboutResult(n *node, number int) string {
	switch {
	case n.kind == "loop" && m.chance(40):
		return fmt.Sprintf("res.Iterations > %d", number)
	case n.soft && m.chance(40):
		return "res.Err != nil"
	case n.retry && m.chance(40):
		return "res.Attempts > 1"
	case n.cache && m.chance(40):
		return "res.Cached"
	case (n.loops || n.defers) && m.chance(40):
		return pick(m, "res.ToolCalls > 1", "res.ToolFailures > 0")
	}
	return pick(m, fmt.Sprintf("res.Visit > %d", 1+number), "res.Step%2 == 0")
}

func (m *maker) aboutOutput(n *node, number int) string {
	if n.kind == "set" {
		f := m.stateField(pick(m, n.writes...))
		return aboutField(m, "out."+goName(f.name), f.typ, number)
	}
	switch m.IntN(6) {
	case 0:
		n.field("ok", "bool")
		return "out.Ok"
	case 1:
		n.field("maybe", "'?int'")
		return pick(m, "*out.Maybe > 1", "out.Maybe != nil", "out.Maybe != nil && *out.Maybe > 1", "out.Maybe == nil || *out.Maybe > 2")
	case 2:
		n.field("msg", "string")
		return pick(m, `out.Msg == "ab"`, `strings.HasPrefix(out.Msg, "a")`, "len(out.Msg) > 1", `strings.Contains(out.Msg, "b")`)
	case 3:
		n.field("status", "{enum: [good, bad, odd]}")
		name := strings.ToUpper(m.name[:1]) + m.name[1:] + strings.ToUpper(n.name[:1]) + n.name[1:] + "OutStatus"
		return pick(m, "out.Status == "+name+"Good", "out.Status != "+name+"Bad", `out.Status.String() == "odd"`)
	}
	n.field("score", "int")
	return pick(m, fmt.Sprintf("out.Score > %d", number), "10/out.Score > 4", "min(out.Score, 3) == 3")
}

func aboutField(m *maker, expr, typ string, number int) string {
	switch typ {
	case "int":
		return pick(m, fmt.Sprintf("%s >= %d", expr, number), fmt.Sprintf("%s%%3 == 1", expr))
	case "bool":
		return expr
	case "string":
		return pick(m, expr+` == "ab"`, "len("+expr+") > 1")
	case "[]int":
		return pick(m, fmt.Sprintf("len(%s) > %d", expr, number), fmt.Sprintf("slices.Contains(%s, %d)", expr, number), expr+"[1] > 1")
	case "[]string":
		return pick(m, fmt.Sprintf("len(%s) > %d", expr, number), fmt.Sprintf(`slices.Contains(%s, "b")`, expr))
	case "map[string]int":
		return fmt.Sprintf(`%s["a"] > %d`, expr, number)
	case "?int":
		return pick(m, fmt.Sprintf("%s != nil && *%s > %d", expr, expr, number), "*"+expr+" > 1")
	case "float":
		return fmt.Sprintf("%s > %d", expr, number)
	}
	return ""
}
