package faultinject

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/graphgen/graphgen/mutation"
)

// Changes are what a handler asks of the graph of its run: few or many, most of them wrong.
// update is the struct of what may be set, nil if nothing may.
func (p *Player) Changes(update any) []mutation.Change {
	n := []int{0, 0, 1, 1, 2, 3, 8}[p.IntN(7)]
	if p.Float64() < p.wild/10 {
		n = 1000
	}
	var list []mutation.Change
	for range n {
		list = append(list, p.change(update))
	}
	return list
}

func (p *Player) change(update any) mutation.Change {
	switch p.IntN(9) {
	case 0:
		return mutation.SkipTo(p.node())
	case 1:
		return mutation.AddEdge(p.node(), p.node())
	case 2:
		return mutation.AddEdge(p.node(), p.node()).AtMost(p.IntN(5) - 1)
	case 3:
		return mutation.RemoveEdge(p.node(), p.node())
	case 4:
		return mutation.RemoveNode(p.node())
	case 5:
		return mutation.RetryWith(p.update(update))
	case 6:
		return mutation.Change{}
	}
	return mutation.AddNode(p.newNode())
}

// node names a node, mostly.
func (p *Player) node() string {
	if p.IntN(6) == 0 {
		return "end"
	}
	if p.IntN(6) == 0 {
		return p.added()
	}
	return p.word()
}

// added is the name of a node that the run may have added.
func (p *Player) added() string {
	return []string{"x", "y", "z", "__end__", "END", "a b", "x\ny", "\xff", strings.Repeat("x", 5000), "m\"]; end"}[min(p.IntN(14), 9)*p.IntN(2)]
}

// update is one of the graph, filled, or none.
func (p *Player) update(of any) any {
	if of == nil || p.Float64() < p.wild/2 {
		return []any{nil, 1, "x", struct{}{}, p}[p.IntN(5)]
	}
	v := reflect.New(reflect.TypeOf(of).Elem())
	p.fill(v.Elem(), 3)
	return v.Elem().Interface()
}

func (p *Player) newNode() mutation.Node {
	n := mutation.Node{Name: p.added(), Template: p.word(), Times: p.IntN(4) - 1, MaxVisits: p.IntN(4) - 1}
	if p.IntN(3) == 0 {
		n.Template, n.Kind, n.Instructions = "", "prompt", "Do {{"+p.word()+"}} and {{x"
		n.Reads, n.Writes, n.Tools = []string{p.word()}, p.word(), []string{p.word()}
		if p.IntN(2) == 0 {
			n.Instructions, n.Reads, n.Writes, n.Tools = "Do it.", nil, "", nil
		}
	}
	if p.IntN(3) > 0 {
		n.After = p.node()
	}
	if p.IntN(2) == 0 {
		n.Next = p.node()
	}
	return n
}

// wildChange is an answer whose change of the graph is not as it should be.
func (p *Player) wildChange(answer string) string {
	var members map[string]any
	if json.Unmarshal([]byte(answer), &members) != nil {
		return answer
	}
	keys := []string{"_graph_action", "_node_config", "_from", "_to", "_max_iterations", "_target", "_context_update", "text"}
	for range 1 + p.IntN(3) {
		members[keys[p.IntN(len(keys))]] = p.anything(4)
	}
	if config, ok := members["_node_config"].(map[string]any); ok {
		inner := []string{"name", "template", "kind", "instructions", "reads", "writes", "tools", "after", "next", "max_visits", "odd"}
		config[inner[p.IntN(len(inner))]] = p.anything(4)
	}
	out, err := json.Marshal(members)
	if err != nil {
		return answer
	}
	return string(out)
}

// anything is a JSON value of any kind.
func (p *Player) anything(depth int) any {
	switch p.IntN(10) {
	case 0:
		return nil
	case 1:
		return p.IntN(5) - 2
	case 2:
		return 1e300
	case 3:
		return p.IntN(2) == 0
	case 4:
		return strings.Repeat("name ", 3000)
	case 5:
		return json.RawMessage(strings.Repeat(`[`, 3000) + strings.Repeat(`]`, 3000))
	case 6, 7:
		if depth > 0 {
			return map[string]any{p.node(): p.anything(depth - 1), "name": p.node(), "template": p.node()}
		}
	case 8:
		if depth > 0 {
			return []any{p.anything(depth - 1), p.anything(depth - 1)}
		}
	}
	return strings.ToValidUTF8(p.node(), "")
}
