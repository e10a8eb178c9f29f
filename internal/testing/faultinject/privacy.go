package faultinject

import (
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

const (
	said   = "said by a customer" // a word of callers, models and tools
	secret = "known to no model"  // what private fields hold
)

// Keep fills private fields of an input, which the pointers point to, with what no model may be shown.
func (p *Player) Keep(to ...any) {
	words := p.words
	p.words = []string{secret}
	p.Fill(to...)
	p.words = words
}

// confide notes what is wrong with what a request shows its model: a system prompt with words of others than the
// author, and values of private fields.
func (p *Player) confide(m *Machine, req *chat.Request) {
	if m.Constant && strings.Contains(req.System, said) {
		p.wrong("a system prompt has what a caller, a model or a tool says:\n%s", req.System)
	}
	shown := req.System
	for _, m := range req.Messages {
		shown += "\n" + m.Text
		for _, c := range m.Calls {
			shown += c.Arguments
		}
	}
	if strings.Contains(shown, secret) {
		p.wrong("a model is shown a private field:\n%.3000s", shown)
	}
}

// overhear notes an event that has the value of a private field.
func (p *Player) overhear(e *graphgen.Event) {
	if text, err := e.AppendJSON(nil); err == nil && strings.Contains(string(text), secret) {
		p.wrong("an event has a private field: %s", text)
	}
}
