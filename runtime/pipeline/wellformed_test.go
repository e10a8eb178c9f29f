package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// wellFormed says what a provider would refuse in a request: calls without results, results
// without calls or in another order, messages of nobody or without content; and calls of
// tools that are not offered, unless the model has just been told so.
func wellFormed(req *chat.Request) error {
	var open []chat.ToolCall // calls that wait for their results
	for i, m := range req.Messages {
		where := "message " + strconv.Itoa(i)
		if m.Role == chat.RoleTool {
			if len(open) == 0 || open[0].ID != m.Call || open[0].Name != m.Name {
				return fmt.Errorf("%s is the result of %s, the calls that wait are %v", where, m.Call, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("%s stands before the results of %v", where, open)
		}
		if m.Role != chat.RoleUser && m.Role != chat.RoleAssistant || m.Text == "" && len(m.Calls) == 0 {
			return fmt.Errorf("%s is %s's, and says nothing: %+v", where, m.Role, m)
		}
		open = m.Calls
		for j, c := range m.Calls {
			offered := slices.ContainsFunc(req.Tools, func(s chat.ToolSpec) bool { return s.Name == c.Name })
			if result := i + 1 + j; !offered && (result >= len(req.Messages) || !req.Messages[result].Failed) {
				return fmt.Errorf("%s calls %s, which is not offered", where, c.Name)
			}
		}
	}
	if len(open) > 0 || len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role == chat.RoleAssistant {
		return errors.New("the request does not end with something to answer")
	}
	return nil
}

var everyTool = []string{"search", "fetch", "drop"}

// A play is a run of nodes that say anything.
type play struct {
	*rand.Rand
	t *testing.T
}

func (p *play) chance(percent int) bool { return p.IntN(100) < percent }

// Generate answers with anything that a model may say.
func (p *play) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	if err := wellFormed(req); err != nil {
		p.t.Fatalf("%v, in:\n%s", err, told(req.Messages))
	}
	if p.chance(10) {
		return nil, graphgen.Transient(errors.New("lost"))
	}
	resp := &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}}
	if p.chance(70) {
		resp.Message.Text = "text " + strconv.Itoa(p.IntN(9))
	}
	if p.chance(40) {
		for range 1 + p.IntN(3) {
			tool := append([]string{"none"}, everyTool...)[p.IntN(4)]
			resp.Message.Calls = append(resp.Message.Calls, call([]string{"", "x", "y", "z"}[p.IntN(4)], tool, []string{"", "{}", `{"query":"a"}`}[p.IntN(3)]))
		}
	}
	if p.chance(15) {
		resp.Finish = chat.Length
	}
	return resp, nil
}

// nodes are some of every shape.
func (p *play) nodes() []*pipeline.Node {
	var list []*pipeline.Node
	for i := range 5 {
		n := plain("node" + strconv.Itoa(i))
		for _, tool := range everyTool {
			if p.chance(40) {
				n.Tools = append(n.Tools, pipeline.Tool{Name: tool, Pure: p.chance(30)})
				n.Specs = append(n.Specs, chat.ToolSpec{Name: tool, Schema: "{}"})
			}
		}
		n.Loop, n.Apart, n.Light, n.Inject = p.chance(50), p.chance(20), p.chance(30), p.chance(30)
		n.Scope = []pipeline.Scope{pipeline.Full, pipeline.Full, pipeline.Scoped, pipeline.Ledger, pipeline.Fitted}[p.IntN(5)]
		if n.Apart {
			n.Scope = pipeline.Scoped
		}
		if p.chance(50) {
			n.History = pipeline.Limits{Messages: p.IntN(8), Tokens: p.IntN(100)}
		}
		n.Repair, n.Revisit = p.IntN(3), p.chance(50)
		list = append(list, n)
	}
	return list
}

// act has a node take a turn, as its machine would, until it does not loop.
func (p *play) act(s *stage, d *pipeline.Transcript, n *pipeline.Node) {
	for {
		err := s.Execute(s.Context(), engine.Policy{Attempts: p.IntN(3), GuardRetries: p.IntN(2)}, func(ctx context.Context) error {
			if err := s.attempt(ctx, d, n, "what?"); err != nil || d.Waiting() {
				return err
			}
			if p.chance(30) {
				return engine.Guarded(engine.Guard{Name: "polite", Err: graphgen.Reject("be polite")})
			}
			return nil
		})
		loops := err == nil && d.Looping()
		if err == nil && !loops {
			s.conversation.Keep(d)
		}
		s.step()
		if !loops {
			return
		}
	}
}

func TestRequestsAreConversations(t *testing.T) {
	for d := range tier.Draws(t, tier.Pick(100, 400, 5000)) {
		p := &play{d.Rand(), t}
		s := on(t, p, graphgen.WithToolbox(box{[]string{"fetch"}}))
		nodes := p.nodes()
		transcripts := make([]pipeline.Transcript, len(nodes))
		for range 12 {
			if p.chance(25) {
				if err := pipeline.CallPending(s.Context(), &s.Run, &s.conversation, runs, &s.tools); err != nil {
					t.Fatal(err)
				}
				continue
			}
			i := p.IntN(len(nodes))
			p.act(s, &transcripts[i], nodes[i])
		}
		if t.Failed() {
			return
		}
	}
}
