package pipeline

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Pick is the answer of a router: one of its routes.
type Pick struct {
	Routes []string
	Index  int // of the one that was picked
}

var pickJSON = codec.Members{Type: "route", Names: []string{"route"}}

// DecodeJSON reads {"route": "name"}.
func (p *Pick) DecodeJSON(d *codec.Decoder) {
	o := codec.ReadObject(d, &pickJSON)
	for o.Next() {
		var name string
		codec.ReadString(&name, d)
		if p.Index = slices.Index(p.Routes, name); p.Index < 0 {
			d.Fail("no such route: want one of " + strings.Join(p.Routes, ", "))
		}
	}
}

// A Review is the answer of a guard: whether it passes, and why not.
type Review struct {
	Pass    bool
	Message string
}

var reviewJSON = codec.Members{Type: "verdict", Names: []string{"pass", "message"}, Optional: []string{"message"}}

// DecodeJSON reads {"pass": false, "message": "why"}.
func (r *Review) DecodeJSON(d *codec.Decoder) {
	*r = Review{}
	o := codec.ReadObject(d, &reviewJSON)
	for o.Next() {
		switch o.Name {
		case "pass":
			codec.ReadBool(&r.Pass, d)
		case "message":
			codec.ReadString(&r.Message, d)
		}
	}
}

// Err returns the error of a guard's handler: nil, or a rejection.
func (r *Review) Err() error {
	switch {
	case r.Pass:
		return nil
	case r.Message == "":
		return graphgen.Reject("the guard refuses it")
	}
	return graphgen.Reject(r.Message)
}

// ReviewSchema is the schema of a guard's answer.
const ReviewSchema = `{"type":"object","properties":{"pass":{"type":"boolean"},"message":{"type":"string","description":"Why it ` +
	`does not pass."}},"required":["pass"],"additionalProperties":false}`

// RouteSchema is the schema of a router's answer. The routes are names of nodes, which need
// no escaping.
func RouteSchema(routes ...string) string {
	return `{"type":"object","properties":{"route":{"type":"string","enum":["` + strings.Join(routes, `","`) +
		`"]}},"required":["route"],"additionalProperties":false}`
}
