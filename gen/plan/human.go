package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Human is the request of a human node, or of a node that a person approves, and how it is answered.
type Human struct {
	Question string // method of the run that writes the question
	Answer   string // function that makes an answer
	Reply    string // field of the run with the answer; empty: it is a decision

	Pieces  []Piece
	Shown   []*resolve.Field
	Choices []string // the answers there are; nil: a text or a struct
	Timeout time.Duration

	Denied *Transition // after a denial; nil: the node fails
	Late   *Transition // after its timeout; nil: the node fails
}

// A NestedHuman is a node of a graph that the machine runs at which a person is asked.
type NestedHuman struct {
	Path   string        // the names of the subgraph nodes and of the node, joined by slashes
	Answer string        // function that makes an answer
	Out    *resolve.Type // of the answer; nil: a decision
}

// A NestedCall is a tool of a graph that the machine runs, whose calls wait for an answer.
type NestedCall struct {
	*Tool        // with the function of this machine, and the types as its package names them
	Path  string // the names of the subgraph nodes, joined by slashes
}

// lowerNestedHumans plans how the requests of the graphs that the machine runs are answered.
func (l *lowering) lowerNestedHumans() {
	taken := map[string]bool{}
	for _, n := range l.m.Flow.Nodes {
		if h := n.Asked(); h != nil {
			taken[h.Answer] = true
		}
	}
	for _, t := range l.m.Humans.Held {
		taken[t.Answer] = true
	}
	for _, t := range l.m.Clients() {
		taken[t.Client.Answer] = true
	}
	l.nestedHumans(l.g, "", "", resolve.Import{}, map[*resolve.Graph]bool{l.g: true}, taken)
}

// free returns the name of a function that none has.
func free(name string, taken map[string]bool) string {
	for taken[name] {
		name += "Request"
	}
	taken[name] = true
	return name
}

func (l *lowering) nestedHumans(g *resolve.Graph, path, name string, in resolve.Import, seen map[*resolve.Graph]bool, taken map[string]bool) {
	if g != l.g {
		l.nestedCalls(g, path, name, in, taken)
	}
	for _, n := range g.All() {
		at, name := path+n.Spec.Name.V, name+n.GoName
		if (n.Kind.By == spec.ByPerson || n.Gated()) && g != l.g {
			h := &NestedHuman{Path: at, Answer: free("Answer"+l.g.GoName+name, taken)}
			if n.Out != nil && !n.Gated() {
				h.Out = elsewhere(n.Out, in)
			}
			l.m.Humans.NestedHumans = append(l.m.Humans.NestedHumans, h)
		}
		if n.Sub != nil && !seen[n.Sub] {
			seen[n.Sub] = true
			from := in
			if of := g.Package(n); of.Path != "" {
				from = of
			}
			l.nestedHumans(n.Sub, at+"/", name, from, seen, taken)
			delete(seen, n.Sub)
		}
	}
}

// nestedCalls plans how calls of the tools of a graph are answered that the machine runs.
func (l *lowering) nestedCalls(g *resolve.Graph, path, name string, in resolve.Import, taken map[string]bool) {
	add := func(t *resolve.Tool, prefix string) *Tool {
		answer := free(prefix+l.g.GoName+name+t.GoName, taken)
		tool := &Tool{Name: t.Spec.Name.V, Args: elsewhere(t.Args, in), Returns: elsewhere(t.Returns, in), Answer: answer}
		l.m.Humans.NestedCalls = append(l.m.Humans.NestedCalls, &NestedCall{tool, strings.TrimSuffix(path, "/")})
		return tool
	}
	for _, t := range g.Held() {
		add(t, "Approve")
	}
	for _, t := range g.Clients() {
		tool := add(t, "Return")
		tool.Client = &Client{Answer: tool.Answer}
	}
}

// elsewhere returns the type of an answer as the package of this machine names it.
func elsewhere(t *resolve.Type, in resolve.Import) *resolve.Type {
	if t == nil || t.Import != "" || in.Path == "" || t.GoName == "" && t.Elem == nil {
		return t
	}
	named := *t
	if t.GoName == "" {
		named.Elem = elsewhere(t.Elem, in)
		return &named
	}
	named.Import, named.Qualifier = in.Path, in.Name
	return &named
}

// decisions are the answers to a question of yes or no.
var decisions = []string{"approve", "deny"}

// request plans what a person is asked at a node.
func (l *lowering) request(n *resolve.Node, text []Piece, shown []*resolve.Field, timeout time.Duration) Human {
	at := l.flow.Node(n)
	return Human{
		Question: l.run.free("question"+n.GoName, "Node"), Answer: "Answer" + l.g.GoName + n.GoName, Pieces: text, Shown: shown, Timeout: timeout,
		Denied: l.transitions[at.Keyed("on_deny")], Late: l.transitions[at.Keyed("on_timeout")],
	}
}

func (l *lowering) lowerHuman(h *Human, n *resolve.Node, node *Node) {
	*h = l.request(n, pieces(n.Instructions), n.Shown(), n.Spec.Timeout.V)
	switch {
	case node.Out == nil:
		h.Choices = decisions
		return
	case node.Out.Kind == resolve.Enum:
		for _, v := range node.Out.Values {
			h.Choices = append(h.Choices, v.Name)
		}
	}
	h.Reply = l.run.free(goname.Unexported(n.Spec.Name.V)+"Reply", "Node")
}

// lowerGate plans what a person is asked before a node runs.
func (l *lowering) lowerGate(n *resolve.Node) *Human {
	asked := n.Approval()
	question := asked.Question.V
	if question == "" {
		question = "Shall " + n.Spec.Name.V + " run?"
		if n.Spec.Doc.V != "" {
			question += " " + n.Spec.Doc.V
		}
	}
	h := l.request(n, []Piece{{Text: question}}, n.Approved(), asked.Timeout.V)
	h.Choices = decisions
	return &h
}

// A Saying is what a node of kind say sends to the observers of a run.
type Saying struct {
	Method  string // of the run: writes it
	Pieces  []Piece
	Payload *resolve.Type // nil: none
	Args    []Argument    // the fields of the payload
}

func (l *lowering) lowerSaying(s *Saying, n *resolve.Node) {
	*s = Saying{Method: l.run.free("say"+n.GoName, "Node"), Pieces: pieces(n.Instructions), Payload: n.Payload}
	for _, a := range n.Args {
		s.Args = append(s.Args, Argument{To: a.Arg, From: a.From})
	}
}

// pieces plans a template, without line breaks at its end.
func pieces(text []resolve.Piece) []Piece {
	var t template
	t.add(text)
	t.trimEnd()
	return t
}

// Asked returns what a person is asked at the node: its question, or that before it runs. It is nil where none is.
func (n *Node) Asked() *Human {
	if n.Pauses.Gate != nil {
		return n.Pauses.Gate
	}
	h, _ := n.Work.(*Human)
	return h
}

// pauses reports whether a run may pause at a node, or within it.
func (n *Node) pauses() bool {
	return n.Suspends() || n.Asked() != nil || n.Pauses.Before || n.Pauses.After || n.Pauses.Open
}

// Suspends reports whether a run may pause while the node is executed: for an answer about a call, or where it waits within the node.
func (n *Node) Suspends() bool {
	sub, is := n.Work.(*Sub)
	return is && sub.Pauses || n.Pauses.Holds || n.within((*Node).pauses)
}

// findPauses finds the nodes that run others in which runs pause, or are saved.
func (l *lowering) findPauses() {
	for n, w := range Works[Runner](l.m) {
		if !l.m.Threads.Durable && !n.within((*Node).pauses) {
			continue
		}
		w.Runs().Pauses = true
		if pool, is := w.(*Pool); is {
			pool.Picker = l.run.free(goname.Unexported(n.Name)+"Picker", "Node")
		}
	}
}

// Pauses reports whether runs of the machine pause, because nodes of it wait for a person.
func (m *Machine) Pauses() bool {
	return len(m.Humans.Held)+len(m.Clients()) > 0 || slices.ContainsFunc(m.Flow.Nodes, (*Node).pauses)
}

// Clients lists the tools that the caller of the machine runs.
func (m *Machine) Clients() []*Tool {
	return slices.DeleteFunc(slices.Clone(m.Models.Tools), func(t *Tool) bool { return t.Client == nil })
}

// Holds reports whether calls of the prompt may wait for answers.
func (p *Prompt) Holds() bool {
	return len(p.Approve)+len(p.Others) > 0 || slices.ContainsFunc(p.Tools, func(t *Tool) bool { return t.Client != nil })
}

// Holds reports whether calls of nodes that runs add may wait for answers.
func (m *Mutations) Holds() bool {
	return len(m.Approve) > 0 || slices.ContainsFunc(m.Tools, func(t *Tool) bool { return t.Client != nil })
}

// Methods lists the tools that are methods of what the machine is made with.
func (m *Machine) Methods() []*Tool {
	return slices.DeleteFunc(slices.Clone(m.Models.Tools), func(t *Tool) bool { return t.Client != nil })
}

// PausesInRegions reports whether child runs of the machine's runs pause, of nodes that run others or, if forks, of
// those with branches.
func (m *Machine) PausesInRegions(forks bool) bool {
	for _, w := range Works[Runner](m) {
		if _, fork := w.(Forker); w.Runs().Pauses && (!forks || fork) {
			return true
		}
	}
	return false
}
