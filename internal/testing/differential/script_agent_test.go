package differential

import (
	"encoding/json"
	"fmt"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// answer makes an entry the answer of a model: calls of tools, or what the entry gives as
// JSON, or prose where that is asked for.
func (w *scripter) answer(e *scriptdriver.Entry, n *nodeShape) {
	calls := 1 + w.wild/5
	if len(n.tools) > 0 {
		calls = 50
	}
	if w.IntN(100) < calls {
		for range 1 + w.IntN(3) {
			e.Calls = append(e.Calls, w.toolCall(n))
		}
	}
	switch {
	case w.IntN(200) < w.wild:
		e.Text = scriptdriver.Prose
	case n.kind == "guard":
		e.Text = `{"pass": true}`
	case n.kind == "router" && e.Goto >= 1 && e.Goto <= len(n.choices):
		e.Text = jsonText(map[string]any{"route": n.choices[e.Goto-1]})
	case n.kind == "router":
		e.Text = `{"route": "nowhere"}`
	case n.out.base == "string":
		e.Text = e.Out[""].(string)
	default:
		e.Text = jsonText(asJSON(*n.out, e.Out))
	}
	if len(e.Calls) > 0 && e.Text == "" {
		e.Text = "wait" // else it depends on the tools of others whether they are shown the message
	}
}

// toolCall is a call of one of a node's tools, sometimes of one that there is not, or with
// arguments that do not fit.
func (w *scripter) toolCall(n *nodeShape) scriptdriver.Call {
	name := "grep"
	if len(n.tools) > 0 && w.IntN(12) > 0 {
		name = n.tools[w.IntN(len(n.tools))]
	}
	if name == "find" {
		return scriptdriver.Call{Tool: name, Args: "{}"}
	}
	query := fmt.Sprint(w.IntN(3))
	switch k := w.IntN(100); {
	case k < 10:
		query = scriptdriver.Fails + " " + query
	case k < 15:
		query = scriptdriver.Panics + " " + query
	case k < 15+w.wild/4:
		query = scriptdriver.Fatal + " " + query
	case k > 95:
		return scriptdriver.Call{Tool: name, Args: `{"qury": "x"}`}
	}
	return scriptdriver.Call{Tool: name, Args: jsonText(map[string]any{"query": query})}
}

// judgement is the answer of a model that judges edges: a number, which may be none of
// those that it is shown, or none, or neither.
func (w *scripter) judgement() scriptdriver.Entry {
	e := scriptdriver.Entry{Kind: w.kind(0)}
	switch k := w.IntN(100); {
	case k < 70:
		e.Text = fmt.Sprint(1 + w.IntN(3))
	case k < 90:
		e.Text = "none"
	case k < 95:
		e.Text = []string{"0", "9", "end", ""}[w.IntN(4)]
	default:
		e.Text = scriptdriver.Prose
	}
	return e
}

// asJSON is a value of a script as a model writes it. What is no value of an enum is a
// name that the enum does not have.
func asJSON(s shape, value any) any {
	switch {
	case value == nil:
		return nil
	case s.base == "enum":
		if n := value.(int); n >= 1 && n <= len(s.values) {
			return s.values[n-1]
		}
		return "nonsense"
	case s.base == "struct":
		out := map[string]any{}
		for _, f := range s.fields {
			out[f.name] = asJSON(f.shape, value.(map[string]any)[f.name])
		}
		return out
	}
	return value
}

// jsonText is a value as JSON.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
