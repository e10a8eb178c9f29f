package exchange_test

import (
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/exchange"
)

// TestSends holds which requests continue the one before: those with the same settings that begin with the same messages.
func TestSends(t *testing.T) {
	one, two := chat.UserText("one"), chat.UserText("two")
	warm, cold := 1.0, 0.0
	base := chat.Request{System: "s", Temperature: &warm, Output: &chat.Schema{Name: "a"}, Messages: []chat.Message{one, two}}
	change := func(set func(*chat.Request)) chat.Request {
		r := base
		set(&r)
		return r
	}
	for name, c := range map[string]struct {
		next            chat.Request
		continues, same int
	}{
		"more messages":      {change(func(r *chat.Request) { r.Messages = []chat.Message{one, two, one} }), 7, 2},
		"a message less":     {change(func(r *chat.Request) { r.Messages = []chat.Message{one} }), 7, 1},
		"another end":        {change(func(r *chat.Request) { r.Messages = []chat.Message{one, one} }), 7, 1},
		"another beginning":  {change(func(r *chat.Request) { r.Messages = []chat.Message{two, two} }), 0, 0},
		"equal settings":     {change(func(r *chat.Request) { again := 1.0; r.Temperature, r.Output = &again, &chat.Schema{Name: "a"} }), 7, 2},
		"another system":     {change(func(r *chat.Request) { r.System = "t" }), 0, 0},
		"another model":      {change(func(r *chat.Request) { r.Model = "m" }), 0, 0},
		"other tools":        {change(func(r *chat.Request) { r.Tools = []chat.ToolSpec{{Name: "f"}} }), 0, 0},
		"another choice":     {change(func(r *chat.Request) { r.Choice.Mode = chat.Required }), 0, 0},
		"no schema":          {change(func(r *chat.Request) { r.Output = nil }), 0, 0},
		"colder":             {change(func(r *chat.Request) { r.Temperature = &cold }), 0, 0},
		"fewer tokens":       {change(func(r *chat.Request) { r.MaxTokens = 1 }), 0, 0},
		"cached":             {change(func(r *chat.Request) { r.Cache = true }), 0, 0},
		"for another reason": {change(func(r *chat.Request) { r.Purpose = chat.Judge }), 7, 2},
	} {
		x := exchange.New()
		if _, continues, same := x.Sends(7, &base); continues != 0 || same != 0 {
			t.Errorf("the first request continues %d", continues)
		}
		sent, continues, same := x.Sends(8, &c.next)
		if continues != c.continues || same != c.same {
			t.Errorf("%s: it continues %d with %d messages, want %d with %d", name, continues, same, c.continues, c.same)
		}
		if c.next.Messages[0].Text = "changed"; sent.Messages[0].Text == "changed" {
			t.Errorf("%s: what was sent changes with the conversation", name)
		}
		c.next.Messages[0] = one
	}
}
