package pipeline_test

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

type searchArgs struct {
	Query string
	Limit int
}

var searchArgsJSON = codec.Members{Type: "args", Names: []string{"query", "limit"}, Optional: []string{"limit"}}

func (v *searchArgs) DecodeJSON(d *codec.Decoder) {
	o := codec.ReadObject(d, &searchArgsJSON)
	for o.Next() {
		switch o.Name {
		case "query":
			codec.ReadString(&v.Query, d)
		case "limit":
			codec.ReadInt(&v.Limit, d)
		}
	}
}

// A machine is what the compiler makes of a graph of one prompt node with tools, by hand.
type machine struct {
	model   chat.Model
	node    *pipeline.Node
	search  func(ctx context.Context, query string) (string, error) // nil: finds what it is asked for
	options []graphgen.RunOption
}

func (m *machine) CallTool(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
	switch c.Name {
	case "search":
		var args searchArgs
		if err := pipeline.Arguments(c, &args); err != nil {
			return chat.ToolResult{}, err
		}
		if m.search == nil {
			return chat.ToolResult{Text: "found " + args.Query}, nil
		}
		out, err := m.search(ctx, args.Query)
		return chat.ToolResult{Text: out}, err
	}
	return pipeline.Unknown(c)
}

type run struct {
	engine.Run
	state        struct{ Question, Answer string }
	conversation pipeline.Conversation
	agent        pipeline.Transcript
	counters     [5]uint32
}

func (r *run) View() any { return &r.state }

var agentPrompt = pipeline.Node{
	Name: "agent", System: "Answer the question.", Loop: true, Repair: 1,
	Tools: []pipeline.Tool{{Name: "search"}},
	Specs: []chat.ToolSpec{{Name: "search", Schema: "{}"}},
}

var graph = engine.Graph{
	Name: "agent", MaxSteps: 50,
	Nodes:       []engine.NodeInfo{{Name: "end"}, {Name: "agent", MaxVisits: 25}},
	Transitions: []engine.TransitionInfo{{To: 1, Rule: graphgen.RuleEntry}, {From: 1, To: 1, Rule: graphgen.RuleToolLoop}},
}

func (m *machine) ask(ctx context.Context, r *run) (string, error) {
	if p := r.agent.Enter(&r.Run, &r.conversation, m.model, m.node, nil); p != nil {
		p.Message.String(r.state.Question)
	}
	err := r.agent.Ask(ctx, m, nil)
	return r.agent.Text(), err
}

func (m *machine) Run(ctx context.Context, question string) (string, error) {
	r := &run{}
	r.state.Question = question
	r.Start(ctx, &graph, &engine.Frame{Counters: r.counters[:], Viewer: r}, nil, m.options)
	engine.Drive(m, r, &r.Run, (*machine).loop)
	return engine.Finish(&r.Run, r.state.Answer)
}

func (m *machine) loop(ctx context.Context, r *run) {
	for r.At != engine.End {
		switch r.At {
		case 1:
			out, err := m.ask(ctx, r)
			if err != nil {
				r.Fail(err)
				continue
			}
			if r.agent.Looping() {
				r.SlowStep(1, 1)
				continue
			}
			r.conversation.Keep(&r.agent)
			r.state.Answer = out
			r.SlowStep(engine.Terminal, engine.End)
		}
	}
}
