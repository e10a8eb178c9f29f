package wire

import "strings"

// A Graph describes a graph of child runs.
type Graph struct {
	Subs   map[string]string `json:"subs,omitempty"` // by node, the graph that it runs
	Places map[string]Place  `json:"places,omitempty"`
	Agents map[string]Agent  `json:"agents,omitempty"`
	Pure   []string          `json:"pure,omitempty"`
	Merges map[string]string `json:"merges,omitempty"`
}

// Split splits the name of a node in a child run: the path of the subgraph nodes, and its own name.
func Split(node string) (within, own string) {
	if i := strings.LastIndexByte(node, '/'); i >= 0 {
		return node[:i], node[i+1:]
	}
	return "", node
}

// Join joins the path of subgraph nodes and the name of a node.
func Join(within, node string) string {
	if within == "" || node == "" {
		return within + node
	}
	return within + "/" + node
}

// GraphAt returns the graph at the end of a path of subgraph nodes; for an empty path the
// scenario's own. The name is empty without one.
func (s *Scenario) GraphAt(within string) (name string, g Graph) {
	name, g = s.Root, s.own()
	for within != "" && name != "" {
		var node string
		node, within, _ = strings.Cut(within, "/")
		if name = g.Subs[node]; name == s.Root {
			g = s.own()
		} else {
			g = s.Nested[name]
		}
	}
	return name, g
}

func (s *Scenario) own() Graph {
	return Graph{Subs: s.Subs, Places: s.Places, Agents: s.Agents, Pure: s.Pure, Merges: s.Merges}
}

// PlaceOf returns the place of a node of any graph: in the branches of the subgraph nodes,
// outermost first, and in the branches of its own graph.
func (s *Scenario) PlaceOf(node string) Place {
	var p Place
	var names []string
	known := true
	at := ""
	for name := range strings.SplitSeq(node, "/") {
		_, g := s.GraphAt(at)
		one := g.Places[name]
		p.Levels = append(p.Levels, one.Levels...)
		known = known && (one.Branch != "" || len(one.Levels) == 0)
		if one.Branch != "" {
			names = append(names, one.Branch)
		}
		at = Join(at, name)
	}
	if known {
		p.Branch = strings.Join(names, "/")
	}
	return p
}

// PathTo returns the path of the subgraph nodes to a graph, and whether it is the only one.
func (s *Scenario) PathTo(graph string) (path string, only bool) {
	if graph == s.Root {
		return "", true
	}
	count := 0
	var look func(name string, g Graph, within string, around []string)
	look = func(name string, g Graph, within string, around []string) {
		for _, a := range around {
			if a == name {
				count = 2 // a graph that runs itself
				return
			}
		}
		for node, sub := range g.Subs {
			if sub == graph {
				path = Join(within, node)
				count++
			}
			look(sub, s.Nested[sub], Join(within, node), append(around, name))
		}
	}
	look(s.Root, s.own(), "", nil)
	return path, count == 1
}
