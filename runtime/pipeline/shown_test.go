package pipeline_test

import (
	"context"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// An asked model passes everything, and keeps what it is asked.
type askedModel struct{ req chat.Request }

func (m *askedModel) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	m.req = *req
	return &chat.Response{Message: chat.Message{Text: `{"pass":true,"message":""}`}}, nil
}

// TestShown holds where the fields are that a judge is shown: in the user's message, once each, and
// not in the system prompt.
func TestShown(t *testing.T) {
	for name, test := range map[string]struct {
		show  func(*pipeline.Shown)
		shown string
	}{
		"nothing": {func(*pipeline.Shown) {}, "Criterion: it fits\n\nText:\n```\na text\n```"},
		"a text and a value": {func(s *pipeline.Shown) {
			s.Show("topic", "otters")
			s.ShowJSON("done", codec.Of(true, codec.WriteBool))
		}, "Criterion: it fits\n\ntopic:\n```\notters\n```\n\ndone:\n```json\ntrue\n```\n\nText:\n```\na text\n```"},
		"a field twice": {func(s *pipeline.Shown) { s.Show("topic", "otters"); s.Show("topic", "otters") },
			"Criterion: it fits\n\ntopic:\n```\notters\n```\n\nText:\n```\na text\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			var model askedModel
			s := on(t, &model)
			var shown pipeline.Shown
			test.show(&shown)
			if pass, err := shown.Evaluate(s.Context(), &s.Run, &model, "it fits", "a text"); err != nil || !pass {
				t.Fatalf("the judge says %t, %v", pass, err)
			}
			if got := model.req.Messages[0].Text; got != test.shown {
				t.Errorf("the judge is shown %q, want %q", got, test.shown)
			}
			if strings.Contains(model.req.System, "otters") {
				t.Errorf("the system prompt has a field: %q", model.req.System)
			}
		})
	}
}

// A tenant calls tools for one tenant, whose name it reads.
type tenant struct {
	name string
	key  bool // what it reads has a key
	made int
}

func (c *tenant) CallTool(context.Context, *chat.ToolCall) (chat.ToolResult, error) {
	c.made++
	return chat.ToolResult{Text: c.name}, nil
}

func (c *tenant) ToolKey(string) (string, bool) { return c.name, c.key }

// TestKeyer makes the same call of a pure tool in turns that read something.
func TestKeyer(t *testing.T) {
	for name, test := range map[string]struct {
		turns []tenant
		want  string // what the model receives
		made  int
	}{
		"what is read is the same": {[]tenant{{name: "acme", key: true}, {name: "acme", key: true}}, "acme acme", 1},
		"something else is read":   {[]tenant{{name: "acme", key: true}, {name: "globex", key: true}}, "acme globex", 2},
		"what is read has no key":  {[]tenant{{name: "acme"}, {name: "acme"}}, "acme acme", 2},
		"the first is read again":  {[]tenant{{name: "acme", key: true}, {name: "globex", key: true}, {name: "acme", key: true}}, "acme globex acme", 2},
	} {
		t.Run(name, func(t *testing.T) {
			turns := []chat.Message{{Text: "done"}}
			for range test.turns {
				turns = append([]chat.Message{calls(call("x", "search", `{"query":"a"}`))}, turns...)
			}
			model := &answers{turns: turns}
			s, n := on(t, model), node(pipeline.Tool{Pure: true})
			var d pipeline.Transcript
			made := 0
			for i := range test.turns {
				d.Enter(&s.Run, &s.conversation, model, n, nil)
				if err := d.Ask(s.Context(), &test.turns[i], nil); err != nil || !d.Looping() {
					t.Fatalf("turn %d ended with %v", i, err)
				}
				made += test.turns[i].made
				s.step()
			}
			d.Enter(&s.Run, &s.conversation, model, n, nil)
			if err := d.Ask(s.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range model.sent[len(model.sent)-1] {
				if m.Role == chat.RoleTool {
					got = append(got, m.Text)
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("the model receives %q, want %q", got, test.want)
			}
			if made != test.made {
				t.Errorf("%d calls were made, want %d", made, test.made)
			}
		})
	}
}
