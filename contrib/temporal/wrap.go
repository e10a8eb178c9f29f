package temporal

import (
	"encoding/json"
	"fmt"

	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Coder encodes and decodes a value.
type Coder interface {
	codec.Marshaler
	codec.Unmarshaler
}

// Choice encodes what a handler has chosen by its name, so that a graph may have more choices later.
func Choice[C interface {
	~uint16
	fmt.Stringer
}](c *C) Coder {
	return &choice[C]{c}
}

type choice[C interface {
	~uint16
	fmt.Stringer
}] struct{ of *C }

func (c *choice[C]) EncodeJSON(e *codec.Encoder) {
	name := ""
	if *c.of != 0 {
		name = (*c.of).String()
	}
	codec.WriteString(name, e)
}

func (c *choice[C]) DecodeJSON(d *codec.Decoder) {
	var name string
	if codec.ReadString(&name, d); name == "" {
		*c.of = 0
		return
	}
	const most = 1 << 12
	for n := C(1); n < most; n++ {
		if n.String() == name {
			*c.of = n
			return
		}
	}
	*c.of = most // none of the graph
}

// Changes encodes the changes of its graph that a handler requests. U is the struct that is generated for retry_with.
func Changes[U any](list *[]mutation.Change) Coder { return &changes[U]{list} }

type changes[U any] struct{ of *[]mutation.Change }

// A change is a mutation.Change whose update has a type.
type change[U any] struct {
	Action  mutation.Action
	From    string         `json:",omitempty"`
	To      string         `json:",omitempty"`
	Most    int            `json:",omitempty"`
	Update  *U             `json:",omitempty"`
	Node    *mutation.Node `json:",omitempty"`
	Misread string         `json:",omitempty"`
}

func (c *changes[U]) EncodeJSON(e *codec.Encoder) {
	list := make([]change[U], len(*c.of))
	for i, m := range *c.of {
		list[i] = change[U]{Action: m.Action, From: m.From, To: m.To, Most: m.Most, Misread: m.Misread}
		if m.Action == mutation.ActionAddNode {
			list[i].Node = &m.Node
		}
		switch u := m.Update.(type) {
		case U:
			list[i].Update = &u
		case *U:
			list[i].Update = u
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		e.Fail(err.Error())
		return
	}
	codec.WriteBytes(data, e)
}

func (c *changes[U]) DecodeJSON(d *codec.Decoder) {
	var data []byte
	codec.ReadBytes(&data, d)
	var list []change[U]
	if err := json.Unmarshal(data, &list); err != nil {
		d.Fail(err.Error())
		return
	}
	*c.of = nil
	for _, m := range list {
		made := mutation.Change{Action: m.Action, From: m.From, To: m.To, Most: m.Most, Misread: m.Misread}
		if m.Node != nil {
			made.Node = *m.Node
		}
		if m.Update != nil {
			made.Update = *m.Update
		}
		*c.of = append(*c.of, made)
	}
}
