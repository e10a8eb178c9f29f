package pipeline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/internal/nodename"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Change describes the changes of the graph that a node's answer may request: the schema of the
// answer, open for the members that list the nodes of the run at that time.
type Change struct {
	Name       string                   // of the schema
	Head, Tail string                   // the schema up to the end of its properties, and what follows
	Text       bool                     // the answer is the member text
	Update     func() codec.Unmarshaler // makes a place for what retry_with sets; nil: nothing
}

// A Changer is a *Change. Nodes refer to it by an interface, so that only programs in which a node has one
// link its code.
type Changer interface {
	open(*engine.Run) (schema *chat.Schema, instructions string)
	split(answer string, may *engine.Mutable) (rest string, changes []mutation.Change, err error)
}

// The members of an answer that request a change.
const (
	actionMember = "_graph_action"
	nodeMember   = "_node_config"
	fromMember   = "_from"
	toMember     = "_to"
	mostMember   = "_max_iterations"
	targetMember = "_target"
	updateMember = "_context_update"
)

var wishJSON = codec.Members{
	Type:     "change of the graph",
	Names:    []string{actionMember, nodeMember, fromMember, toMember, mostMember, targetMember, updateMember},
	Optional: []string{actionMember, nodeMember, fromMember, toMember, mostMember, targetMember, updateMember},
}

// The names that models of Promptise write, which are no part of the schema, follow those that are.
var nodeMembers = []string{
	"name", "template", "kind", "instructions", "reads", "writes", "tools", "after", "next", "max_visits",
	"type", "input_keys", "output_key", "default_next", "max_iterations", "description",
}

var nodeJSON = codec.Members{Type: "new node", Names: nodeMembers, Optional: nodeMembers[1:]}

// A wish is a change that an answer requests.
type wish struct {
	action, from, to, target string
	most                     int
	node                     mutation.Node
	update                   jsontext.Value
}

// DecodeJSON reads the members.
func (w *wish) DecodeJSON(d *codec.Decoder) {
	o := codec.ReadObject(d, &wishJSON)
	for o.Next() {
		switch o.Name {
		case actionMember:
			maybe(&w.action, d, codec.ReadString)
		case fromMember:
			maybe(&w.from, d, codec.ReadString)
		case toMember:
			maybe(&w.to, d, codec.ReadString)
		case targetMember:
			maybe(&w.target, d, codec.ReadString)
		case mostMember:
			codec.AtLeast(1).ReadInt(&w.most, d)
		case updateMember:
			codec.ReadAny(&w.update, d)
		case nodeMember:
			readNode(&w.node, d)
		}
	}
}

func readNode(n *mutation.Node, d *codec.Decoder) {
	o := codec.ReadObject(d, &nodeJSON)
	for o.Next() {
		switch o.Name {
		case "name":
			maybe(&n.Name, d, codec.ReadString)
		case "template":
			maybe(&n.Template, d, codec.ReadString)
		case "kind", "type":
			once(&n.Kind, n.Kind != "", d, codec.ReadString)
		case "instructions":
			maybe(&n.Instructions, d, codec.ReadString)
		case "reads", "input_keys":
			once(&n.Reads, n.Reads != nil, d, readTexts)
		case "writes", "output_key":
			once(&n.Writes, n.Writes != "", d, codec.ReadString)
		case "tools":
			maybe(&n.Tools, d, readTexts)
		case "after":
			maybe(&n.After, d, codec.ReadString)
		case "next", "default_next":
			once(&n.Next, n.Next != "", d, codec.ReadString)
		case "max_visits", "max_iterations":
			once(&n.MaxVisits, n.MaxVisits != 0, d, codec.ReadInt)
		case "description":
			var doc string // of which nothing depends
			maybe(&doc, d, codec.ReadString)
		}
	}
}

func readTexts(v *[]string, d *codec.Decoder) { codec.ReadList(v, d, codec.ReadString) }

// maybe reads a value that may be null: null leaves v unchanged.
func maybe[T any](v *T, d *codec.Decoder, read codec.Reader[T]) { once(v, false, d, read) }

// once is maybe for a value that has two names. It is set if it was read under the other one.
func once[T any](v *T, set bool, d *codec.Decoder, read codec.Reader[T]) {
	var given *T
	codec.ReadOptional(&given, d, read)
	switch {
	case given == nil:
	case set:
		d.Fail("this is given under another name, too")
	default:
		*v = *given
	}
}

// mutation returns the mutation for a wish, or one that holds the reason why it cannot be read. may
// describes how the run may still change; it is nil if it may not.
func (w *wish) mutation(c *Change, may *engine.Mutable) mutation.Change {
	switch mutation.Action(w.action) {
	case mutation.ActionAddEdge:
		return mutation.AddEdge(w.from, w.to).AtMost(w.most)
	case mutation.ActionSkipTo:
		return mutation.SkipTo(w.target)
	case mutation.ActionRemoveEdge:
		return mutation.RemoveEdge(w.from, w.to)
	case mutation.ActionRemoveNode:
		return mutation.RemoveNode(w.target)
	case mutation.ActionAddNode:
		if may != nil && !may.Leads() && w.node.After == "" {
			return engine.Misread(w.action, "nothing would lead to the node: it has to say after which one it runs")
		}
		w.node.Times = w.most
		return mutation.AddNode(w.node)
	case mutation.ActionRetryWith:
		if c.Update == nil || w.update == nil {
			return mutation.RetryWith(nil)
		}
		update := c.Update()
		if err := codec.Unmarshal(w.update, update); err != nil {
			return engine.Misread(w.action, err.Error())
		}
		return mutation.RetryWith(update)
	}
	return engine.Misread(w.action, "there is no such action")
}

// split separates the members of an answer: those that request a change, and the answer. A
// request that cannot be read becomes a mutation that is refused; the answer still counts.
func (c *Change) split(text string, may *engine.Mutable) (answer string, changes []mutation.Change, err error) {
	var asked string
	err = extract.JSON(text, extract.Object, func(json string) (err error) {
		answer, asked, err = apart(json)
		return err
	})
	if err != nil {
		return "", nil, err
	}
	if c.Text {
		var said textAnswer
		if err := codec.UnmarshalString(answer, &said); err != nil {
			return "", nil, err
		}
		answer = said.text
	}
	if !strings.Contains(asked, actionMember) {
		return answer, nil, nil
	}
	var w wish
	if err := codec.UnmarshalString(asked, &w); err != nil {
		return answer, []mutation.Change{engine.Misread(w.action, err.Error())}, nil
	}
	return answer, []mutation.Change{w.mutation(c, may)}, nil
}

// apart sorts the members of an object into two. A member that is null requests nothing.
func apart(json string) (answer, asked string, err error) {
	var parts [2]Text
	err = eachMember(json, func(member, value string) {
		to := &parts[0]
		if slices.Contains(wishJSON.Names, member) {
			if value == "null" {
				return
			}
			to = &parts[1]
		}
		to.member(member, value)
	})
	if err != nil {
		return "", "", err
	}
	return "{" + string(parts[0]) + "}", "{" + string(parts[1]) + "}", nil
}

// A textAnswer is the answer of a node with a text output, if it may request changes.
type textAnswer struct{ text string }

var textJSON = codec.Members{Type: "answer", Names: []string{"text"}, Optional: []string{"text"}}

// DecodeJSON reads {"text": "…"}.
func (t *textAnswer) DecodeJSON(d *codec.Decoder) {
	o := codec.ReadObject(d, &textJSON)
	for o.Next() {
		codec.ReadString(&t.text, d)
	}
}

// open returns the schema of the answer in a run, and the instructions on what the model may
// change.
func (c *Change) open(run *engine.Run) (*chat.Schema, string) {
	may := run.Changes().Allowed()
	if may == nil {
		return &chat.Schema{Name: c.Name, JSON: c.Head + c.Tail}, ""
	}
	s := changeSchema{more: !strings.HasSuffix(strings.TrimRight(c.Head, " \n"), "{")}
	s.Text = append(s.Text, c.Head...)
	nodes := run.Changes().LiveNodes()
	targets := append(slices.Clone(nodes), "end")
	allows := func(actions ...mutation.Action) bool {
		return slices.ContainsFunc(actions, func(a mutation.Action) bool { return slices.Contains(may.Allow, a) })
	}
	s.enum(actionMember, actionNames(may.Allow))
	if allows(mutation.ActionAddNode) {
		s.node(may, run, nodes, targets)
	}
	if allows(mutation.ActionAddEdge, mutation.ActionRemoveEdge) {
		s.enum(fromMember, nodes)
		s.enum(toMember, targets)
	}
	if allows(mutation.ActionAddEdge, mutation.ActionAddNode) {
		s.member(mostMember, `{"type":"integer","minimum":1}`)
	}
	if allows(mutation.ActionSkipTo, mutation.ActionRemoveNode) {
		s.enum(targetMember, targets)
	}
	return &chat.Schema{Name: c.Name, JSON: string(s.Text) + c.Tail}, changeInstructions(may)
}

func actionNames(actions []mutation.Action) []string {
	var names []string
	for _, a := range actions {
		names = append(names, string(a))
	}
	return names
}

// explained holds the description of each action for models.
var explained = []struct {
	action mutation.Action
	text   string
}{
	{mutation.ActionAddNode,
		"add_node: a new node, described by _node_config; it runs after the node `after`, once, or at most _max_iterations times, " +
			"and leads to `next`, else to where `after` leads"},
	{mutation.ActionAddEdge, "add_edge: an edge from _from to _to, which is tried before the others; it is followed at most _max_iterations times"},
	{mutation.ActionSkipTo, "skip_to: the run goes to _target at once"},
	{mutation.ActionRetryWith, "retry_with: the fields of _context_update are set, and this step is made again"},
	{mutation.ActionRemoveEdge, "remove_edge: the edge from _from to _to is removed"},
	{mutation.ActionRemoveNode, "remove_node: _target is taken away; what leads to it goes on where it leads"},
}

// changeInstructions returns the instructions for a model on what it may change.
func changeInstructions(may *engine.Mutable) string {
	var t Text
	t.String("\n\nThe answer may change the course of this run: _graph_action is the change. Leave it out to go on as planned.")
	for _, e := range explained {
		if slices.Contains(may.Allow, e.action) {
			t.String("\n- ").String(e.text)
		}
	}
	if slices.Contains(may.Allow, mutation.ActionAddNode) && len(may.Templates) > 0 {
		t.String("\nA node with a `template` does what that does: its config has no kind, instructions, reads, writes or tools.")
	}
	return string(t)
}

// A changeSchema is a schema that is being written.
type changeSchema struct {
	Text
	more bool // a property precedes
}

func (s *changeSchema) member(name, schema string) {
	if s.more {
		s.String(",")
	}
	s.more = true
	s.String(quote.Text(name)).String(":").String(schema)
}

// enum writes a property that is one of some names. Names of the spec need no escaping; names of
// dynamic nodes may.
func (s *changeSchema) enum(name string, values []string) {
	if len(values) > 0 {
		s.member(name, enumSchema(values))
	}
}

func enumSchema(values []string) string {
	var t Text
	t.String(`{"type":"string","enum":[`)
	for i, v := range values {
		if i > 0 {
			t.String(",")
		}
		quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(v, "\ufffd"))
		t.String(string(quoted))
	}
	return string(*t.String("]}"))
}

// node writes the schema of a new node.
func (s *changeSchema) node(may *engine.Mutable, run *engine.Run, nodes, targets []string) {
	n := changeSchema{}
	n.member("name", `{"type":"string","minLength":1,"maxLength":`+strconv.Itoa(nodename.Max)+`,"pattern":"^[A-Za-z][A-Za-z0-9_]*$"}`)
	n.enum("template", run.Graph().TemplateNames())
	if len(may.Kinds) > 0 {
		n.enum("kind", may.Kinds)
		n.member("instructions", `{"type":"string","description":"{{field}} is replaced by the value of a field."}`)
		for _, list := range []struct {
			name   string
			values []string
		}{{"reads", may.Reads}, {"tools", may.Tools}} {
			if len(list.values) > 0 {
				n.member(list.name, `{"type":"array","items":`+enumSchema(list.values)+`}`)
			}
		}
		n.enum("writes", may.Writes)
	}
	n.enum("after", nodes)
	n.enum("next", targets)
	n.member("max_visits", `{"type":"integer","minimum":1}`)
	required := `["name"]`
	if !may.Leads() {
		required = `["name","after"]`
	}
	s.member(nodeMember, `{"type":"object","properties":{`+string(n.Text)+`},"required":`+required+`,"additionalProperties":false}`)
}
