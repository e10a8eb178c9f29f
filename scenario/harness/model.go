package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/chat/scripted"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A model answers what the script has. Requests are told apart by their purpose and by the
// node at which the run stands.
type model struct {
	script *Script
	name   string // as scenarios name it: main or light
}

// Model returns the model that the machine is made with.
func (s *Script) Model() chat.Model { return &model{s, "main"} }

// A turn is one execution of a node that asks.
type turn struct {
	node                     string
	step, attempt, iteration int
}

// Generate answers a request.
func (m *model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	s := m.script
	info := graphrt.Info(ctx)
	agent, ok := s.scenario.Agents[info.Node]
	if !ok {
		return nil, s.mistake("a model was asked at node " + strconv.Quote(info.Node) + ", which has none")
	}
	switch req.Purpose {
	case chat.Judge:
		s.spent.Asked = append(s.spent.Asked, choices(req, agent.Whens))
		s.spent.Judged = promptText(req)
		if s.tape != nil {
			return s.tape.Model(nil).Generate(ctx, req, stream)
		}
		return s.judge(ctx, &agent, s.spent.Asked[len(s.spent.Asked)-1])
	case chat.Evaluate:
		if s.tape != nil {
			return s.tape.Model(nil).Generate(ctx, req, stream)
		}
		return s.evaluate(ctx, &agent, req)
	}
	t := turn{info.Node, info.Step, info.Attempt, info.Iteration}
	if t != s.turn {
		s.turn, s.said = t, 0
		s.begin(agent.Work)
		if s.scenario.Executions {
			s.note(Call{Context: ctx, Node: agent.Work}, s.index)
		}
	}
	if req.Purpose == chat.Summarize && s.tape == nil {
		return s.summarize(ctx, &agent)
	}
	if req.Purpose != chat.Summarize {
		m.record(agent.Work, req)
	}
	if s.tape != nil {
		s.said++
		return s.tape.Model(nil).Generate(ctx, req, stream)
	}
	return s.answer(ctx, &agent, req, stream)
}

// mistake is an error of the script or of the machine, which fails the scenario whatever
// the machine makes of it.
func (s *Script) mistake(text string) error {
	err := errors.New(text)
	if s.problem == nil {
		s.problem = err
	}
	return err
}

// record keeps what a request says.
func (m *model) record(work string, req *chat.Request) {
	p := wire.Prompt{Text: promptText(req), Model: m.name}
	if req.Model != "" {
		p.Model = req.Model
	}
	for i := range req.Tools {
		p.Tools = append(p.Tools, req.Tools[i].Name)
	}
	s := m.script
	s.spent.Prompts[work] = p
	if last := len(s.executions) - 1; s.said == 0 && last >= 0 && s.scenario.Executions {
		s.executions[last].Prompt = &p
	}
}

// promptText is everything that a model is told in words.
func promptText(req *chat.Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for i := range req.Messages {
		m := &req.Messages[i]
		fmt.Fprintf(&b, "\n\n%s: %s", m.Role, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\n%s(%s)", c.Name, c.Arguments)
		}
	}
	return b.String()
}

// answer gives the next answer of the turn: those that are malformed, and then the entry's,
// again and again.
func (s *Script) answer(ctx context.Context, agent *wire.Agent, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	e := s.current
	s.said++
	usage := usageOf(e.Usage)
	if s.said <= len(e.Malformed) {
		return said(e.Malformed[s.said-1], nil, usage, stream), nil
	}
	if s.said == len(e.Malformed)+1 {
		if err := s.happen(ctx, e); err != nil {
			return nil, err
		}
	}
	text := e.Answer
	if text == nil {
		text = agent.Default
	}
	if text == nil && len(e.Calls) == 0 {
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no answer, which would be " + agent.Output)
	}
	if text == nil || e.Answer == nil && len(e.Calls) > 0 {
		text = new(string)
	}
	return said(*text, s.callsOf(e.Calls, req), usage, stream), nil
}

func usageOf(u wire.Usage) chat.Usage {
	return chat.Usage{Input: u.Input, Output: u.Output, Cost: u.Cost}
}

// said has a response played, and streamed: the text in two pieces, so that nobody takes the
// first for all of it. Whether the run is cancelled by then is the machine's to see.
func said(text string, calls []chat.ToolCall, usage chat.Usage, stream func(chat.Delta)) *chat.Response {
	half := len(text) / 2
	for half > 0 && !utf8.RuneStart(text[half]) {
		half--
	}
	turn := scripted.Turn{Text: text, Calls: calls, Usage: usage, Stream: []chat.Delta{}}
	for _, piece := range []string{text[:half], text[half:]} {
		if piece != "" {
			turn.Stream = append(turn.Stream, chat.Delta{Text: piece})
		}
	}
	for i := range calls {
		turn.Stream = append(turn.Stream, chat.Delta{Tool: calls[i].Name})
	}
	response, err := scripted.New(turn).Generate(context.Background(), &chat.Request{}, stream)
	if err != nil {
		panic(err) // the script has this turn, and it does not fail
	}
	return response
}

// summarize makes a text short. An entry that fails and has no summary fails here.
func (s *Script) summarize(ctx context.Context, agent *wire.Agent) (*chat.Response, error) {
	if s.current.Summary == nil {
		if err := s.happen(ctx, s.current); err != nil {
			return nil, err
		}
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no summary")
	}
	return said(*s.current.Summary, nil, chat.Usage{}, nil), nil
}

// entryOf is the entry that the node's last execution was given.
func (s *Script) entryOf(work string) (e *wire.Entry, index int) {
	entries := s.scenario.Script[work]
	index = min(s.calls[work], len(entries)) - 1
	if index < 0 {
		return &nothing, index
	}
	return &entries[index], index
}

// judge says which of the offered edges holds.
func (s *Script) judge(_ context.Context, agent *wire.Agent, offered []string) (*chat.Response, error) {
	e, index := s.entryOf(agent.Work)
	c := e.Choose
	if c == nil {
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no choose, and the judge is asked: " + strings.Join(offered, " / "))
	}
	s.used[entryKey{agent.Work, index, "choose"}] = true
	answer := c.Other
	switch {
	case c.Error != nil:
		return nil, errors.New(*c.Error)
	case c.None:
		answer = none
		if !slices.Contains(offered, none) {
			return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the judge is to choose none, and is not offered it: " + strings.Join(offered, " / "))
		}
	case len(c.Whens) > 0:
		at := slices.IndexFunc(offered, func(when string) bool { return slices.Contains(c.Whens, when) })
		if at < 0 {
			return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the judge is to choose " + strconv.Quote(c.Says) + ", and is not offered it: " + strings.Join(offered, " / "))
		}
		answer = strconv.Itoa(at + 1)
	}
	return said(`{"choice":`+quoteJSON(answer)+`}`, nil, chat.Usage{}, nil), nil
}

const none = "none"

// choices are the texts of the choices that a judge is shown, in order. Each stands behind
// its number, and may have several lines.
func choices(req *chat.Request, whens []string) []string {
	text := req.Messages[len(req.Messages)-1].Text
	_, text, _ = strings.Cut(text, "\nConditions:\n")
	offered := []string{}
	for text != "" {
		label, rest, ok := strings.Cut(text, ": ")
		if !ok {
			return append(offered, text)
		}
		if label == none {
			return append(offered, none)
		}
		when := longest(rest, whens)
		offered = append(offered, when)
		text = strings.TrimPrefix(rest[len(when):], "\n")
	}
	return offered
}

// longest is the longest of some texts with which text begins, else its first line.
func longest(text string, texts []string) string {
	best := ""
	for _, t := range texts {
		if strings.HasPrefix(text, t) && len(t) > len(best) {
			best = t
		}
	}
	if best == "" {
		best, _, _ = strings.Cut(text, "\n")
	}
	return best
}

// evaluate judges an output by the criterion of an eval.
func (s *Script) evaluate(_ context.Context, agent *wire.Agent, req *chat.Request) (*chat.Response, error) {
	e, index := s.entryOf(agent.Work)
	text := req.Messages[len(req.Messages)-1].Text
	for criterion, name := range agent.Evals {
		if !strings.Contains(text, criterion) {
			continue
		}
		o, ok := e.Evals[name]
		if !ok {
			return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no answer for the eval " + strconv.Quote(name))
		}
		s.used[entryKey{agent.Work, index, "evals"}] = true
		if o.Error != nil {
			return nil, errors.New(*o.Error)
		}
		return said(`{"pass":`+strconv.FormatBool(o.Pass)+`}`, nil, chat.Usage{}, nil), nil
	}
	return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the model is asked for an eval that there is not")
}

// An entryKey is a key of an entry that is asked for apart.
type entryKey struct {
	node  string
	entry int
	key   string
}

// unasked finds the keys of the used entries that nobody asked for: they test nothing.
func (s *Script) unasked() []wire.Unasked {
	var list []wire.Unasked
	for work, entries := range s.scenario.Script {
		for i := range min(s.calls[work], len(entries)) {
			for key, written := range map[string]bool{"choose": entries[i].Choose != nil, "evals": entries[i].Evals != nil} {
				if written && !s.used[entryKey{work, i, key}] {
					list = append(list, wire.Unasked{Node: work, Entry: i, Key: key})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b wire.Unasked) int {
		return strings.Compare(a.Node+a.Key+strconv.Itoa(a.Entry), b.Node+b.Key+strconv.Itoa(b.Entry))
	})
	return list
}
