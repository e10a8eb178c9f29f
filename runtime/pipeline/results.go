package pipeline

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/runtime/codec"
)

// Results are what the nodes of a run have given, in order, for the nodes that inherit
// them and for the model that judges edges.
type Results struct {
	input codec.Marshaler
	list  []result
}

// A result is what one visit of a node gave.
type result struct {
	node   string
	text   string
	value  codec.Marshaler // nil: text is all there is
	fields []string        // of a struct: all of them
	evals  []Verdict
}

// A Verdict is the result of an eval of an output.
type Verdict struct {
	Name string
	Pass bool
}

// Start notes what the run was given.
func (r *Results) Start(input codec.Marshaler) { r.input = input }

// Branch returns the results for a branch.
func (r *Results) Branch() Results { return Results{input: r.input, list: slices.Clip(r.list)} }

// Join adds the results of a branch.
func (r *Results) Join(b *Results, m Mark) { r.list = append(r.list, b.list[m.results:]...) }

// Add notes an output. The value must not change afterwards. Of a struct, fields names all
// that it may have.
func (r *Results) Add(node string, value codec.Marshaler, fields ...string) {
	r.list = append(r.list, result{node: node, value: value, fields: fields})
}

// AddText notes an output that is a text.
func (r *Results) AddText(node, text string) {
	r.list = append(r.list, result{node: node, text: text})
}

// Judged notes the verdicts on the output that was noted last.
func (r *Results) Judged(verdicts ...Verdict) {
	r.list[len(r.list)-1].evals = verdicts
}

// shown is the output as a prompt shows it, with media beside it.
func (r *result) shown(attach codec.Attacher) (string, error) {
	if r.value == nil {
		return r.text, nil
	}
	data, err := codec.AppendAttached(nil, r.value, attach)
	return string(data), err
}

// view writes what the model that judges edges is shown of a result: the fields of a
// struct, null where one is absent, else all of it; and the verdicts.
func (r *result) view(e *jsontext.Encoder) error {
	if err := write(e, jsontext.BeginObject, jsontext.String("node"), jsontext.String(r.node), jsontext.String("result")); err != nil {
		return err
	}
	if err := r.data(e); err != nil {
		return err
	}
	if len(r.evals) > 0 {
		if err := write(e, jsontext.String("evals"), jsontext.BeginObject); err != nil {
			return err
		}
		for _, v := range r.evals {
			if err := write(e, jsontext.String(v.Name), jsontext.BeginObject, jsontext.String("pass"), jsontext.Bool(v.Pass), jsontext.EndObject); err != nil {
				return err
			}
		}
		if err := e.WriteToken(jsontext.EndObject); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

func (r *result) data(e *jsontext.Encoder) error {
	if r.value == nil {
		return e.WriteToken(jsontext.String(r.text))
	}
	data, err := codec.AppendBrief(nil, r.value)
	if err != nil { // a handler has left out what must be there: the others are still to be judged by
		return e.WriteToken(jsontext.Null)
	}
	if len(r.fields) == 0 {
		return e.WriteValue(data)
	}
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	var there []string
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		there = append(there, name.String())
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := write(e, jsontext.String(there[len(there)-1])); err != nil {
			return err
		}
		if err := e.WriteValue(value); err != nil {
			return err
		}
	}
	for _, f := range r.fields {
		if !slices.Contains(there, f) {
			if err := write(e, jsontext.String(f), jsontext.Null); err != nil {
				return err
			}
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

func write(e *jsontext.Encoder, tokens ...jsontext.Token) error {
	for _, t := range tokens {
		if err := e.WriteToken(t); err != nil {
			return err
		}
	}
	return nil
}
