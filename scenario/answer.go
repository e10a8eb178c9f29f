package scenario

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// answerJSON returns a value as a model writes it, with members in the order of their types.
// Missing members are zero, unless they have a default, are optional, or have no zero value in
// JSON.
func answerJSON(v *Value, t *resolve.Type) string {
	switch {
	case v.Kind == yamlread.Null:
		return "null"
	case t.Kind == resolve.Optional:
		return answerJSON(v, t.Elem)
	case t.Kind == resolve.Struct && v.Kind == yamlread.Map:
		return object(structMembers(v, t))
	case t.Kind == resolve.Union && v.Kind == yamlread.Map:
		return object(variantMembers(v, t))
	case t.Kind == resolve.List && v.Kind == yamlread.List:
		items := make([]string, len(v.Items))
		for i := range v.Items {
			items[i] = answerJSON(&v.Items[i], t.Elem)
		}
		return "[" + strings.Join(items, ",") + "]"
	case t.Kind == resolve.Map && v.Kind == yamlread.Map:
		var members []string
		for i := 0; i < len(v.Items); i += 2 {
			members = append(members, member(v.Items[i].Text, answerJSON(&v.Items[i+1], t.Elem)))
		}
		return object(members)
	}
	return string(rawJSON(v))
}

func object(members []string) string { return "{" + strings.Join(members, ",") + "}" }

func member(name, value string) string { return string(text(name)) + ":" + value }

func structMembers(v *Value, t *resolve.Type) (members []string) {
	for _, f := range t.Fields {
		if given := v.Get(f.Name); given != nil {
			members = append(members, member(f.Name, answerJSON(given, f.Type)))
		} else if zero := zeroJSON(f); zero != "" {
			members = append(members, member(f.Name, zero))
		}
	}
	return members
}

func variantMembers(v *Value, t *resolve.Type) []string {
	label := v.Get(t.Discriminator)
	if label == nil {
		return nil
	}
	members := []string{member(t.Discriminator, string(text(label.Text)))}
	for i := range t.Variants {
		if t.Variants[i].Label == label.Text {
			members = append(members, structMembers(v, t.Variants[i].Type)...)
		}
	}
	return members
}

// zeroes are the zero values in JSON.
var zeroes = map[resolve.Kind]string{
	resolve.String: `""`, resolve.Int: "0", resolve.Float: "0", resolve.Bool: "false",
	resolve.List: "[]", resolve.Map: "{}", resolve.Duration: `"0s"`, resolve.Bytes: `""`,
}

// zeroJSON returns the zero value of a missing field; empty: the field is omitted.
func zeroJSON(f *resolve.Field) string {
	switch {
	case f.Spec != nil && f.Spec.Default != nil:
		return ""
	case f.Type.Kind == resolve.Struct:
		return object(structMembers(&Value{Kind: yamlread.Map}, f.Type))
	}
	return zeroes[f.Type.Kind]
}

// answer returns the text of the model's answer for an entry; nil: the entry has none.
func (b *binder) answer(n *plan.Node, e *Entry) *string {
	var s string
	switch {
	case e.Text != nil:
		s = e.Text.V
	case e.Out != nil && n.Out != nil:
		s = b.answerOf(n, e.Out)
	case e.Goto.V != "" && n.Choices.Goto != nil:
		s = `{"route":` + string(text(routeName(n, e.Goto.V))) + `}`
	case n.Kind.Judges:
		return rejection(e)
	default:
		return nil
	}
	return &s
}

// routeName returns a route in the spelling of the spec. The end has three names.
func routeName(n *plan.Node, name string) string {
	for _, v := range n.Choices.Goto.Values {
		if v.Name == name || spec.IsEnd(v.Name) && spec.IsEnd(name) {
			return v.Name
		}
	}
	return name
}

// answerOf returns an output as a model writes it.
func (b *binder) answerOf(n *plan.Node, v *Value) string {
	b.convertOut(n, v, n.Out)
	if n.Out.Kind == resolve.String {
		return v.Text
	}
	if f := onlyField(n, v, n.Out); f != nil {
		return object([]string{member(f.Name, answerJSON(v, f.Type))})
	}
	return answerJSON(v, n.Out)
}

// rejection returns the answer of a guard that asks a model; nil: it accepts.
func rejection(e *Entry) *string {
	message := e.Reject.V
	for _, v := range e.GuardsFailed {
		message = v.Reject.V
	}
	if message == "" {
		return nil
	}
	s := `{"pass":false,"message":` + string(text(message)) + `}`
	return &s
}

// toolNames returns the tools that the model of a node may call in a scenario.
func (b *binder) toolNames(n *plan.Node, s *Scenario) (names []string) {
	p := n.Prompt()
	for _, t := range p.Tools {
		names = append(names, t.Name)
	}
	if p.Inject {
		for _, t := range s.Inject {
			names = append(names, t.Tool.V)
		}
	}
	return names
}

// tool returns the tool of the spec with the given name.
func (b *binder) tool(name string) *plan.Tool {
	at := slices.IndexFunc(b.m.Models.Tools, func(t *plan.Tool) bool { return t.Name == name })
	if at < 0 {
		return nil
	}
	return b.m.Models.Tools[at]
}

// arguments returns the arguments of a call as a model writes them. A mapping is checked; a text is
// passed unchanged.
func (b *binder) arguments(c Call) string {
	t := b.tool(c.Tool.V)
	switch v := c.Arguments; {
	case v == nil:
		return "{}"
	case v.Kind == yamlread.Text:
		return v.Text
	case v.Kind != yamlread.Map:
		b.report("GG208", v.Pos, "expected the arguments of a tool, found "+v.Found(),
			"write them as in {query: otters}, or as a text, which is passed unchanged")
		return ""
	case t == nil:
		return string(rawJSON(v))
	default:
		b.convert(v, t.Args)
		return object(givenMembers(v, t.Args))
	}
}

// givenMembers returns the members of a mapping, in the order of a type's fields.
func givenMembers(v *Value, t *resolve.Type) (members []string) {
	for _, f := range t.Fields {
		if given := v.Get(f.Name); given != nil {
			members = append(members, member(f.Name, answerJSON(given, f.Type)))
		}
	}
	return members
}

// lacking reports required arguments that a call does not have.
func (b *binder) lacking(c Call, t *plan.Tool) {
	if c.Arguments != nil && c.Arguments.Kind != yamlread.Map {
		return
	}
	if c.Arguments != nil && len(givenMembers(c.Arguments, t.Args)) < len(c.Arguments.Items)/2 {
		return // an unknown argument may be a misspelling of it
	}
	var names []string
	for _, f := range t.Args.Fields {
		optional := f.Type.Kind == resolve.Optional || f.Spec != nil && f.Spec.Default != nil
		if !optional && (c.Arguments == nil || c.Arguments.Get(f.Name) == nil) {
			names = append(names, f.Name)
		}
	}
	if len(names) > 0 {
		b.report("GG208", c.Tool.Pos, "the tool "+quote(t.Name)+" needs the argument "+strings.Join(names, ", "),
			"write it, or write the arguments as a text, which is not checked: {"+t.Name+": \"{}\"}")
	}
}

// schemaJSON returns the schema of an injected tool.
func schemaJSON(v *Value) string {
	if v == nil {
		return `{"type":"object"}`
	}
	return string(json.RawMessage(rawJSON(v)))
}
