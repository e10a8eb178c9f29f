package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// A Prompt is what a node of a graph sends a model. A client fills it in.
type Prompt struct {
	Node, Doc string
	Arguments []Argument // the fields of the state that it has

	of    *api.Prompt
	types types
}

// An Argument is a field that a prompt has.
type Argument struct {
	Name, Doc string
	Schema    json.RawMessage // of its type
	Text      bool            // it is given as it is; otherwise as JSON
	Required  bool

	initial json.RawMessage // without a value; nil: there is none
}

// promptsOf returns the prompts of a graph.
func promptsOf(d *api.Description) (list []Prompt, _ error) {
	if len(d.Prompts) == 0 {
		return nil, nil
	}
	var state struct {
		Properties map[string]json.RawMessage
		Required   []string
		Defs       map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(d.State, &state); err != nil {
		return nil, err
	}
	for i := range d.Prompts {
		p := Prompt{Node: d.Prompts[i].Node, of: &d.Prompts[i], types: state.Defs}
		if n := slices.IndexFunc(d.Nodes, func(n api.Node) bool { return n.Name == p.Node }); n >= 0 {
			p.Doc = d.Nodes[n].Doc
		}
		for _, name := range p.of.Fields() {
			a := Argument{Name: name, Schema: state.Properties[name], Required: slices.Contains(state.Required, name)}
			var of struct {
				Description string
				Default     json.RawMessage
			}
			if err := json.Unmarshal(a.Schema, &of); err != nil {
				return nil, err
			}
			a.Doc, a.initial, a.Text = of.Description, of.Default, p.types.isText(a.Schema)
			p.Arguments = append(p.Arguments, a)
		}
		list = append(list, p)
	}
	return list, nil
}

// Fill returns the system prompt and the message of the user with values of the arguments. A value that the spec does not allow is an error with the
// status 422. JSON is as the client writes it; a run writes defaults and the order of the spec. The message may be empty: a run says
// something in its place.
func (p *Prompt) Fill(given map[string]string) (system, message string, err error) {
	wrong := func(name, detail string) error {
		return &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "arguments." + brief(name), Detail: detail}
	}
	for name := range given {
		if !slices.ContainsFunc(p.Arguments, func(a Argument) bool { return a.Name == name }) {
			return "", "", wrong(name, "The prompt has no such argument.")
		}
	}
	values := map[string]value{}
	for _, a := range p.Arguments {
		text, ok := given[a.Name]
		switch {
		case !ok && a.Required:
			return "", "", wrong(a.Name, "The argument is missing.")
		case !ok:
			values[a.Name] = a.without()
			continue
		}
		v := value{text: text}
		data := []byte(text)
		if a.Text {
			data, err = json.Marshal(text)
		} else {
			var compact bytes.Buffer
			err = json.Compact(&compact, data)
			v = value{compact.String(), true}
		}
		if err != nil || !p.types.fit(a.Schema, data) {
			return "", "", wrong(a.Name, "It is not what the spec of the graph wants.")
		}
		values[a.Name] = v
	}
	var lines strings.Builder
	for _, name := range p.of.Shows {
		if v := values[name]; v.text != "" {
			lines.WriteString(name + ":\n" + v.fenced() + "\n\n")
		}
	}
	lines.WriteString(filled(p.of.Message, values))
	return filled(p.of.System, values), strings.TrimRight(lines.String(), "\n"), nil
}

// A value is what a prompt has of a field.
type value struct {
	text string
	json bool
}

// without returns the value of an argument that is not given.
func (a *Argument) without() value {
	text := ""
	if a.Text && json.Unmarshal(a.initial, &text) == nil || len(a.initial) == 0 {
		return value{text: text}
	}
	return value{string(a.initial), true}
}

// fenced returns a value between lines of backticks that it does not have, as a run shows it.
func (v value) fenced() string {
	fence := "```"
	for strings.Contains(v.text, fence) {
		fence += "`"
	}
	kind := ""
	if v.json {
		kind = "json"
	}
	return fence + kind + "\n" + v.text + "\n" + fence
}

// filled returns a text with values instead of its placeholders.
func filled(text string, values map[string]value) string {
	pieces, _ := prompttext.Cut(text) // the compiler has written it
	for i := 1; i < len(pieces); i += 2 {
		pieces[i] = values[pieces[i]].text
	}
	return strings.Join(pieces, "")
}
