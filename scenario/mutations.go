package scenario

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A GraphAction is a mutation that an execution asks for. The names in it may be unknown, since a
// refusal can be what the scenario tests.
type GraphAction struct {
	Pos    spec.Pos
	Action spec.String // a word of spec.Actions

	From, To spec.String
	Most     spec.Value[int]
	Update   *Value // state fields; a text is an invalid update

	Name, Template, Kind, Instructions, Writes, After, Next spec.String
	Reads, Tools                                            []spec.String
	MaxVisits                                               spec.Value[int]
}

// A MutationMatch is an expected mutation.
type MutationMatch struct {
	Pos     spec.Pos
	Text    spec.String // as in reports: skip_to review
	Refused bool
	Reason  spec.String // part of it
}

var graphActionKey = row[Entry]{Key{Name: "graph_action", Form: form("a mapping of one action to what it is about"),
	Example: "{skip_to: publish}",
	Doc: "What the execution asks of the graph of its run, of a node with `mutates`: `{skip_to: publish}`, `{add_edge: {from: " +
		"draft, to: critic, max_iterations: 1}}`, `{retry_with: {topic: otters}}`, `{remove_edge: {from: draft, to: critic}}`, " +
		"`{remove_node: critic}`, `{add_node: {name: check, template: checker, after: draft}}`; of a handler also a list. Names " +
		"are taken as they are: what is refused is refused by the run."}, func(e *Entry) any {
	return reads(func(r *reader, v *Value, k *Key) {
		for _, item := range v.AsList() {
			e.Actions = append(e.Actions, graphAction(r, &item, k))
		}
	})
}}

// graphAction reads a mapping of one action.
func graphAction(r *reader, v *Value, k *Key) GraphAction {
	a := GraphAction{Pos: v.Pos}
	if v.Kind != yamlread.Map || len(v.Items) != 2 {
		r.Mismatch(v, k)
		return a
	}
	action, about := v.Key(0)
	a.Action = oneOf(r, action, "an action", spec.Names(spec.Actions))
	switch a.Action.V {
	case "skip_to", "remove_node":
		a.To = r.Text(about, nodeKey)
	case "retry_with":
		a.Update = about
	case "add_edge", "remove_edge":
		yamlread.Read(r, about, &edgeActionKeys, &a)
	case "add_node":
		yamlread.Read(r, about, &nodeActionKeys, &a)
	}
	return a
}

var mostKey = row[GraphAction]{Key{Name: "max_iterations", Form: formCount, Example: "2", Doc: "How often the edge is followed at most."},
	func(a *GraphAction) any { return count(&a.Most) }}

var edgeActionKeys = table[GraphAction]{Noun: "an edge", Rows: yamlread.Rows([]row[GraphAction]{
	{Key{Name: "from", Form: formNode, Example: "draft", Required: true}, func(a *GraphAction) any { return &a.From }},
	{Key{Name: "to", Form: formNode, Example: "critic", Required: true}, func(a *GraphAction) any { return &a.To }},
	mostKey,
})}

var nodeActionKeys = table[GraphAction]{Noun: "a node to be added", Rows: yamlread.Rows([]row[GraphAction]{
	{Key{Name: "name", Form: formName, Example: "check", Required: true}, func(a *GraphAction) any { return &a.Name }},
	{Key{Name: "template", Form: formNode, Example: "checker"}, func(a *GraphAction) any { return &a.Template }},
	{Key{Name: "kind", Form: form("a kind"), Example: "prompt"}, func(a *GraphAction) any { return &a.Kind }},
	{Key{Name: "instructions", Form: formText, Example: "Look again."}, func(a *GraphAction) any { return &a.Instructions }},
	{Key{Name: "reads", Form: formNames, Example: "[topic]"}, func(a *GraphAction) any { return &a.Reads }},
	{Key{Name: "writes", Form: form("a field"), Example: "notes"}, func(a *GraphAction) any { return &a.Writes }},
	{Key{Name: "tools", Form: formNames, Example: "[search]"}, func(a *GraphAction) any { return &a.Tools }},
	{Key{Name: "after", Form: formNode, Example: "draft"}, func(a *GraphAction) any { return &a.After }},
	{Key{Name: "next", Form: formNode, Example: "publish"}, func(a *GraphAction) any { return &a.Next }},
	mostKey,
	{Key{Name: "max_visits", Form: formCount, Example: "3"}, func(a *GraphAction) any { return count(&a.MaxVisits) }},
})}

var mutationsKey = row[Expect]{Key{Name: "mutations", Form: form("a list of changes"),
	Example: "[skip_to publish, {refused: skip_to ghost, reason: no node}]",
	Doc:     "All changes that were asked for, in order, as in reports: those that were made as texts, the others as mappings."}, func(e *Expect) any {
	return reads(func(r *reader, v *Value, k *Key) {
		list := []MutationMatch{}
		for _, item := range r.List(v, k) {
			m := MutationMatch{Pos: item.Pos, Refused: item.Kind == yamlread.Map}
			r.Read(&item, changeKey, orMapping(&m.Text, &m, &refusalKeys))
			list = append(list, m)
		}
		e.Mutations, e.MutationsPos = &list, v.Pos
	})
}}

var refusalKeys = table[MutationMatch]{Noun: "a change that is refused", Rows: yamlread.Rows([]row[MutationMatch]{
	{Key{Name: "refused", Form: form("a change"), Example: "skip_to ghost", Required: true}, func(m *MutationMatch) any { return &m.Text }},
	{Key{Name: "reason", Form: formText, Example: "no node"}, func(m *MutationMatch) any { return &m.Reason }},
})}

// String describes the expectation.
func (m MutationMatch) String() string {
	text := m.Text.V
	if m.Refused {
		text += ", refused"
	}
	if m.Reason.V != "" {
		text += ": " + m.Reason.V
	}
	return text
}

// mutations compares the requested mutations.
func (j *judgement) mutations() {
	if j.o.Expect.Mutations == nil {
		return
	}
	want := *j.o.Expect.Mutations
	for i := range max(len(want), len(j.got.Mutations)) {
		wanted, got, line := none, none, j.o.Expect.MutationsPos.Line
		if i < len(want) {
			wanted, line = want[i].String(), want[i].Pos.Line
		}
		if i < len(j.got.Mutations) {
			m := j.got.Mutations[i]
			if i < len(want) && want[i].Text.V == m.Text && want[i].Refused == (m.Refused != "") && strings.Contains(m.Refused, want[i].Reason.V) {
				continue
			}
			if got = m.Text; m.Refused != "" {
				got += ", refused: " + m.Refused
			}
		}
		j.fail("mutations["+strconv.Itoa(i)+"]", line, wanted, got)
		return
	}
}

// actions converts the mutations that an execution asks for. A model includes them in its answer.
func (b *binder) actions(n *plan.Node, e *Entry, w *wire.Entry) {
	for _, a := range e.Actions {
		w.Actions = append(w.Actions, b.action(a))
	}
	isText := n.Out == nil || n.Out.Kind == resolve.String
	switch {
	case n.Prompt() == nil:
		return
	case w.Answer == nil && isText && len(e.Actions) > 0:
		w.Answer = new(string)
	case w.Answer == nil || n.Mutates && strings.HasPrefix(*w.Answer, "{") && len(e.Actions) == 0:
		return // the model's own answer
	case n.Mutates && isText && len(e.Actions) == 0:
		wrapped := string(text(map[string]string{"text": *w.Answer}))
		w.Answer = &wrapped
		return
	case len(e.Actions) == 0:
		return
	}
	if len(e.Actions) > 1 {
		b.report("GG210", e.Actions[1].Pos, "an answer of a model asks for one change", "write one of them")
	}
	said := withAction(*w.Answer, w.Actions[0], isText, b.updateJSON(e.Actions[0]))
	w.Answer = &said
	w.Actions = nil
}

func (b *binder) action(a GraphAction) wire.Action {
	w := wire.Action{
		Action: a.Action.V, From: a.From.V, To: a.To.V, Most: a.Most.V,
		Name: a.Name.V, Template: a.Template.V, Kind: a.Kind.V, Instructions: a.Instructions.V, Writes: a.Writes.V,
		After: a.After.V, Next: a.Next.V, Reads: texts(a.Reads), Tools: texts(a.Tools), MaxVisits: a.MaxVisits.V,
	}
	if a.Update != nil && a.Update.Kind == yamlread.Map && b.m.Mutations != nil && b.m.Mutations.Update != nil {
		w.Update = text(b.convert(a.Update, b.m.Mutations.Update))
	}
	return w
}

// updateJSON returns an update as a model writes it.
func (b *binder) updateJSON(a GraphAction) json.RawMessage {
	if a.Update == nil {
		return nil
	}
	return rawJSON(a.Update)
}

func texts(list []spec.String) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.V)
	}
	return out
}

// withAction returns the answer of a model with the members of a mutation.
func withAction(answer string, a wire.Action, isText bool, update json.RawMessage) string {
	members := map[string]any{}
	if isText {
		members["text"] = answer
	} else if err := json.Unmarshal([]byte(answer), &members); err != nil {
		return answer
	}
	set := func(name string, value any, is bool) {
		if is {
			members[name] = value
		}
	}
	members["_graph_action"] = a.Action
	set("_from", a.From, a.From != "")
	set("_to", a.To, a.From != "")
	set("_target", a.To, a.From == "" && a.To != "")
	set("_max_iterations", a.Most, a.Most > 0)
	set("_context_update", update, update != nil)
	if a.Name != "" {
		node := map[string]any{"name": a.Name}
		for _, part := range []struct {
			name  string
			value any
			is    bool
		}{
			{"template", a.Template, a.Template != ""}, {"kind", a.Kind, a.Kind != ""}, {"instructions", a.Instructions, a.Instructions != ""},
			{"reads", a.Reads, len(a.Reads) > 0}, {"writes", a.Writes, a.Writes != ""}, {"tools", a.Tools, len(a.Tools) > 0},
			{"after", a.After, a.After != ""}, {"next", a.Next, a.Next != ""}, {"max_visits", a.MaxVisits, a.MaxVisits > 0},
		} {
			if part.is {
				node[part.name] = part.value
			}
		}
		members["_node_config"] = node
	}
	return string(text(members))
}

// adding iterates over the nodes that a scenario's script adds. Nodes in branches add none.
func (s *Scenario) adding(yield func(GraphAction) bool) {
	if s == nil {
		return // a child graph is bound once for all scenarios
	}
	for _, steps := range s.Script {
		for _, e := range steps.Entries {
			for _, a := range e.Actions {
				if a.Name.V != "" && !yield(a) {
					return
				}
			}
		}
	}
}

// adds reports whether a scenario's script adds a node with the given name.
func (s *Scenario) adds(name string) bool {
	for a := range s.adding {
		if a.Name.V == name {
			return true
		}
	}
	return false
}

// addNodes adds the prompts that a scenario's script adds, which have their own scripts. A copy of
// a template uses the script of the template.
func (b *binder) addNodes(s *Scenario, agents map[string]wire.Agent) {
	b.added = make(map[string]*plan.Node)
	for a := range s.adding {
		name := a.Name.V
		if b.nodes[name] != nil || b.added[name] != nil {
			continue
		}
		if template, ok := agents[a.Template.V]; ok {
			template.Of = a.Template.V
			agents[name] = template
			continue
		}
		kind := spec.KindOf(a.Kind.V)
		if kind.By != spec.ByModel {
			continue
		}
		n := &plan.Node{Name: name, Kind: kind, Out: &resolve.Type{Kind: resolve.String}, Work: &plan.Prompt{Tools: b.m.Models.Tools}}
		w := wire.Agent{Work: name}
		w.Default, w.Output = defaultAnswer(n)
		b.added[name], agents[name] = n, w
	}
}
