// Package view writes a machine as JSON, for servers, studios and clients of other languages: its nodes and transitions, the JSON Schemas of what
// goes in and comes out, the requests to people, and a picture.
package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A View is a machine as JSON. Private fields are in none of its schemas.
type View struct {
	Graph    string `json:"graph"`
	Doc      string `json:"doc,omitempty"`
	File     string `json:"file"`            // the spec, without its folder
	Shape    string `json:"shape,omitempty"` // of a durable graph: the hash of its shape
	Durable  bool   `json:"durable,omitempty"`
	Mutable  bool   `json:"mutable,omitempty"` // runs may change the graph
	MaxSteps int    `json:"max_steps"`         // 0: none, as only the answers of people bound the steps

	Drawn
	Graphs []Child `json:"graphs,omitempty"` // that nodes run

	Input    json.RawMessage `json:"input"` // JSON Schemas
	Output   json.RawMessage `json:"output"`
	State    json.RawMessage `json:"state"`
	Requests []Request       `json:"requests,omitempty"`
	Messages []Message       `json:"messages,omitempty"`
	Prompts  []Prompt        `json:"prompts,omitempty"`
}

// Drawn is what runs of a graph are shown with.
type Drawn struct {
	Nodes       []Node       `json:"nodes"`
	Transitions []Transition `json:"transitions"` // number N is at N-1
	Picture     string       `json:"picture"`     // SVG
}

// A Child is a graph that nodes run.
type Child struct {
	Graph string   `json:"graph"`
	Doc   string   `json:"doc,omitempty"`
	At    []string `json:"at"` // the nodes that run it, each with the nodes that run its graph, as in look/judge
	Drawn
}

// A Node is a node of the graph.
type Node struct {
	Name   string            `json:"name"`
	Kind   string            `json:"kind"`
	Doc    string            `json:"doc,omitempty"`
	Line   int               `json:"line"`
	Parent string            `json:"parent,omitempty"` // the node that runs it
	Graph  string            `json:"graph,omitempty"`  // that it runs
	Reads  []string          `json:"reads,omitempty"`  // fields of the state, without private ones
	In     map[string]string `json:"in,omitempty"`     // of an input of the graph that it runs, the field; of the item of a map, the list
	Writes []string          `json:"writes,omitempty"` // likewise
}

// A Transition leads from a node to the next.
type Transition struct {
	From  string `json:"from,omitempty"` // empty: the run begins, or a node without a failure route of its own failed
	To    string `json:"to"`
	Rule  string `json:"rule"`
	Text  string `json:"text,omitempty"` // the condition
	Label string `json:"label,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// A Request is what a run may ask a person, or its caller.
type Request struct {
	Node      string          `json:"node,omitempty"` // that asks, with the nodes that run its graph; empty: any node whose model calls the tool
	Tool      string          `json:"tool,omitempty"`
	Kind      string          `json:"kind"`                // decision, reply, approval, client or interrupt
	Choices   []string        `json:"choices,omitempty"`   // the answers that there are
	Arguments json.RawMessage `json:"arguments,omitempty"` // of the call: a JSON Schema
	Answer    json.RawMessage `json:"answer,omitempty"`    // of a reply that is not a choice, and of a result: a JSON Schema
}

// A Message is what a node of kind say sends beside its text.
type Message struct {
	Node    string          `json:"node"`
	Payload json.RawMessage `json:"payload"` // a JSON Schema
}

// A Prompt is what a node sends a model, with {{FIELD}} where a run has the value of a field, and {{{{ for {{.
type Prompt struct {
	Node    string   `json:"node"`
	System  string   `json:"system,omitempty"`
	Shows   []string `json:"shows,omitempty"` // fields whose values are before the message
	Message string   `json:"message,omitempty"`
}

// The kinds of requests.
const (
	Decision  = "decision"  // a person approves or denies that the run continues
	Reply     = "reply"     // a person writes an answer, or chooses one
	Approval  = "approval"  // a person approves or denies a call of a tool, or changes its arguments
	Client    = "client"    // the caller of the machine makes a call of a tool
	Interrupt = "interrupt" // the run pauses before or after a node
)

// Of returns the view of a machine.
func Of(m *plan.Machine) *View {
	v := &View{Graph: m.Name, Doc: m.Doc, File: m.File, Shape: m.Threads.Shape, Durable: m.Threads.Durable, Mutable: m.Mutations != nil,
		MaxSteps: m.Limits.MaxSteps % cfg.NoLimit,
		Drawn:    drawn(m, picture.Style{}), Input: schemaOf(public(m.Types.Input)), Output: outputOf(m),
		State:  schemaOf(public(m.Types.State)),
		Graphs: Children(m)}
	for _, n := range m.Flow.Nodes {
		v.requests(n)
	}
	for n, p := range m.Prompts() {
		v.prompt(n, p)
	}
	for _, t := range m.Models.Tools {
		v.tool(t, "", slices.Contains(m.Humans.Held, t))
	}
	for _, n := range m.Humans.NestedHumans {
		v.Requests = append(v.Requests, answered(n.Path, n.Out, nil))
	}
	for _, c := range m.Humans.NestedCalls {
		v.tool(c.Tool, c.Path, c.Client == nil)
	}
	return v
}

// drawn returns what runs of a machine are shown with. A picture is a file of its own, or bare, for a page that has its style sheet.
func drawn(m *plan.Machine, style picture.Style) Drawn {
	d := Drawn{Nodes: Nodes(m), Picture: string(picture.Of(m, picture.Options{}).SVG(style))}
	for _, t := range m.Flow.Transitions {
		out := Transition{To: spec.End, Rule: t.Rule.String(), Text: t.Text, Label: t.Label, Line: t.Place.Line}
		if t.From != nil {
			out.From = t.From.Name
		}
		if t.To != nil {
			out.To = t.To.Name
		}
		d.Transitions = append(d.Transitions, out)
	}
	return d
}

// Nodes returns the nodes of a machine.
func Nodes(m *plan.Machine) (list []Node) {
	for _, n := range m.Flow.Nodes {
		out := Node{Name: n.Name, Kind: n.Kind.Name, Doc: n.Doc, Line: n.Place.Line}
		if n.Parent != nil {
			out.Parent = n.Parent.Name
		}
		switch w := n.Work.(type) {
		case *plan.Sub:
			out.Graph = w.Graph
			for _, g := range w.Given {
				out.gives(g.To, g.From)
			}
		case *plan.Each:
			out.gives(w.Item, w.Over)
		}
		for _, f := range n.State.Reads {
			out.Reads = named(out.Reads, f)
		}
		for _, w := range n.State.Writes {
			out.Writes = named(out.Writes, w.To)
		}
		list = append(list, out)
	}
	return list
}

// gives adds what a field is given, unless one of the two is private.
func (n *Node) gives(to, from *resolve.Field) {
	if to.Private() || from.Private() {
		return
	}
	if n.In == nil {
		n.In = map[string]string{}
	}
	n.In[to.Name] = from.Name
}

// named adds the name of a field, unless it is private.
func named(list []string, f *resolve.Field) []string {
	if f.Private() || slices.Contains(list, f.Name) {
		return list
	}
	return append(list, f.Name)
}

// deepest is how deep graphs are looked at that run graphs.
const deepest = 5

// Children returns the graphs that nodes of a machine run, and nodes of these graphs, each once. A graph is not looked at within itself.
func Children(m *plan.Machine) (list []Child) {
	var of []*spec.Graph // of the list
	var look func(m *plan.Machine, path string, within []*spec.Graph)
	look = func(m *plan.Machine, path string, within []*spec.Graph) {
		for n, sub := range plan.Works[*plan.Sub](m) {
			if sub.Machine == nil || slices.Contains(within, sub.Spec) || len(within) == deepest {
				continue
			}
			child, at, k := plan.Lower(cfg.Of(sub.Spec), "main"), path+n.Name, slices.Index(of, sub.Spec)
			if k < 0 {
				k, of = len(of), append(of, sub.Spec)
				list = append(list, Child{Graph: child.Name, Doc: child.Doc, Drawn: drawn(child, picture.Style{Bare: true})})
			}
			list[k].At = append(list[k].At, at)
			look(child, at+"/", append(slices.Clone(within), sub.Spec))
		}
	}
	look(m, "", nil)
	return list
}

// requests adds what a node may ask and say.
func (v *View) requests(n *plan.Node) {
	switch h := n.Asked(); {
	case h == nil:
	case h.Reply != "":
		v.Requests = append(v.Requests, answered(n.Name, n.Out, h.Choices))
	default:
		v.Requests = append(v.Requests, answered(n.Name, nil, nil))
	}
	if n.Pauses.Before || n.Pauses.After {
		v.Requests = append(v.Requests, Request{Node: n.Name, Kind: Interrupt})
	}
	if s, is := n.Work.(*plan.Saying); is && s.Payload != nil {
		v.Messages = append(v.Messages, Message{n.Name, schemaOf(s.Payload)})
	}
}

// prompt adds the prompt of a node. A prompt that shows images or files is left out: a client fills in texts.
func (v *View) prompt(n *plan.Node, p *plan.Prompt) {
	out := Prompt{Node: n.Name}
	for _, f := range p.Shown {
		if f.Type.HoldsMedia() {
			return
		}
		out.Shows = append(out.Shows, f.Name)
	}
	system, message := []string{p.System}, []string{p.Message}
	for _, b := range p.Blocks {
		if b.User {
			message = append(message, b.Text)
		} else {
			system = append(system, b.Text)
		}
	}
	out.System, out.Message = paragraphs(append(system, p.Ending)), paragraphs(message)
	v.Prompts = append(v.Prompts, out)
}

// paragraphs joins the texts that are not empty.
func paragraphs(texts []string) string {
	var list []string
	for _, text := range texts {
		if text = strings.Trim(text, "\n"); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, "\n\n")
}

// decisions are the answers to a request for a decision.
var decisions = []string{"approve", "deny"}

// answered returns a request for a decision, or for a reply of a type.
func answered(node string, reply *resolve.Type, choices []string) Request {
	switch {
	case reply == nil:
		return Request{Node: node, Kind: Decision, Choices: decisions}
	case choices != nil:
		return Request{Node: node, Kind: Reply, Choices: choices}
	}
	return Request{Node: node, Kind: Reply, Answer: schemaOf(reply)}
}

// tool adds the request for a call of a tool that its caller makes, or that a person approves.
func (v *View) tool(t *plan.Tool, path string, held bool) {
	switch {
	case t.Client != nil:
		v.Requests = append(v.Requests,
			Request{Node: path, Tool: t.Name, Kind: Client, Arguments: schemaOf(t.Args), Answer: compact(schema.Returned(t.Returns))})
	case held:
		v.Requests = append(v.Requests, Request{Node: path, Tool: t.Name, Kind: Approval, Choices: decisions, Arguments: schemaOf(t.Args)})
	}
}

// public returns a struct type without its private fields.
func public(t *resolve.Type) *resolve.Type {
	shown := *t
	shown.Fields = nil
	for _, f := range t.Fields {
		if !f.Private() {
			shown.Fields = append(shown.Fields, f)
		}
	}
	return &shown
}

// outputOf returns the schema of the output of a machine. What a run writes that is cut short, because its steps are used up, may be a part of it.
func outputOf(m *plan.Machine) json.RawMessage {
	t := whole(public(m.Types.Output))
	switch m.Limits.OnMaxSteps {
	case "flag":
		doc := spec.String{V: "the run was cut short because its steps were used up"}
		t.Fields = append(t.Fields, &resolve.Field{Name: plan.FlagMember, Type: &resolve.Type{Kind: resolve.Bool}, Spec: &spec.Field{Doc: doc}})
		return compact(schema.Partial(t))
	case "last":
		return compact(schema.Partial(t))
	}
	return schemaOf(t)
}

// whole returns a struct type whose fields have no defaults: an output has all of them.
func whole(t *resolve.Type) *resolve.Type {
	all := *t
	all.Fields = nil
	for _, f := range t.Fields {
		given := *f
		if f.Spec != nil {
			of := *f.Spec
			of.Default = nil
			given.Spec = &of
		}
		all.Fields = append(all.Fields, &given)
	}
	return &all
}

func schemaOf(t *resolve.Type) json.RawMessage {
	if t == nil {
		return nil
	}
	return compact(schema.Of(t))
}

func compact(text []byte) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic(fmt.Sprintf("view: a schema is not JSON: %v", err)) // package schema writes it
	}
	return b.Bytes()
}

// JSON returns the view, with a line for each member and for each element of its lists. It has no backtick, and no character that changes how
// others are displayed: so it is a raw string of Go, too.
func (v *View) JSON() []byte {
	b := &lines{sep: "{\n  "}
	b.member("graph", v.Graph)
	b.member("doc", v.Doc)
	b.member("file", v.File)
	b.member("shape", v.Shape)
	b.member("durable", v.Durable)
	b.member("mutable", v.Mutable)
	b.member("max_steps", v.MaxSteps)
	list(b, "nodes", v.Nodes)
	list(b, "transitions", v.Transitions)
	list(b, "graphs", v.Graphs)
	b.member("input", v.Input)
	b.member("output", v.Output)
	b.member("state", v.State)
	list(b, "requests", v.Requests)
	list(b, "messages", v.Messages)
	list(b, "prompts", v.Prompts)
	b.member("picture", v.Picture)
	b.WriteString("\n}\n")
	return b.Bytes()
}

// lines writes the members of an object.
type lines struct {
	bytes.Buffer
	sep string
}

// member writes a member, unless it is empty.
func (b *lines) member(name string, value any) {
	if value == "" || value == false {
		return
	}
	b.WriteString(b.sep + `"` + name + `": `)
	b.value(value)
	b.sep = ",\n  "
}

// list writes a list, unless it is empty.
func list[E any](b *lines, name string, all []E) {
	for k, one := range all {
		if k == 0 {
			b.WriteString(b.sep + `"` + name + `": [`)
		} else {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.value(one)
	}
	if len(all) > 0 {
		b.WriteString("\n  ]")
		b.sep = ",\n  "
	}
}

// value writes JSON on one line.
func (b *lines) value(v any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("view: %v", err)) // it is made of texts, numbers and JSON
	}
	for _, r := range strings.TrimSuffix(text.String(), "\n") {
		switch {
		case r != '`' && (r == ' ' || unicode.IsPrint(r)):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
}
