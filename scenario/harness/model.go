package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A model answers from the script. It identifies a request by its purpose and by the current node
// of the run.
type model struct {
	script *Script
	name   string // in scenarios: main or light
}

// Unpriced returns an empty string: the script has the cost of its answers.
func (*model) Unpriced(string) string { return "" }

// Model returns the model for the machine.
func (s *Script) Model() chat.Model { return &model{s, "main"} }

// A turn is one execution of a node that asks a model.
type turn struct {
	node                     string
	step, attempt, iteration int
}

// Generate answers a request.
func (m *model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	s := m.script
	s.coroutines.check("a model")
	info := graphgen.Info(ctx)
	at := placeOf(ctx)
	_, graph := s.scenario.GraphAt(info.Within)
	agent, ok := graph.Agents[info.Node]
	if !ok && s.tape == nil { // a node that a recorded model adds has an unknown name
		return nil, s.mistake("a model was asked at node " + strconv.Quote(at.node) + ", which has none")
	}
	if agent.Of != "" {
		at.node = wire.Join(info.Within, agent.Of)
	}
	agent.Work = at.node
	switch req.Purpose {
	case chat.Judge:
		offered := choices(req, agent.Whens)
		s.asked(at, offered, req)
		if s.tape != nil {
			return s.tape.Model(nil).Generate(ctx, req, stream)
		}
		return s.judge(&agent, at, offered)
	case chat.Evaluate:
		if s.tape != nil {
			return s.tape.Model(nil).Generate(ctx, req, stream)
		}
		return s.evaluate(&agent, at, req)
	}
	t := m.enter(ctx, &agent, &info, at)
	if req.Purpose == chat.Summarize && s.tape == nil {
		return s.summarize(ctx, &agent, at, t)
	}
	if req.Purpose != chat.Summarize {
		m.record(agent.Work, at, t, req)
	}
	if s.scenario.Show == agent.Work {
		return nil, m.show(ctx, agent.Work, req)
	}
	if agent.Picks {
		return s.pick(ctx, &agent, at, t, req)
	}
	if s.tape != nil {
		t.answered++
		return s.tape.Model(nil).Generate(ctx, req, stream)
	}
	return s.answer(ctx, &agent, at, t, req, stream)
}

// enter returns the turn of a request. All requests of one execution of a node are one turn. Each
// question of a pool is a turn, with its repairs.
func (m *model) enter(ctx context.Context, agent *wire.Agent, info *graphgen.StepInfo, at place) *strand {
	s := m.script
	s.mu.Lock()
	defer s.mu.Unlock()
	t, now := s.strand(at.branch), turn{at.node, info.Step, info.Attempt, info.Iteration}
	if made := madeBy(ctx, info); made != t.made {
		t.turn, t.made = turn{}, made
	}
	if now == t.turn && !t.picked {
		return t
	}
	s.begin(agent.Work, at)
	t.turn, t.answered, t.picked = now, 0, false
	if s.scenario.Executions {
		s.note(Call{Context: ctx, Node: agent.Work}, at, t)
	}
	return t
}

// madeBy identifies the child run of a step by the parent's step; it is empty without a parent.
func madeBy(ctx context.Context, info *graphgen.StepInfo) string {
	if info.Within == "" {
		return ""
	}
	key := graphgen.IdempotencyKey(ctx)
	return key[:strings.LastIndexByte(key, '.')]
}

// mistake returns an error of the script or of the machine. It fails the scenario even if the
// machine handles it.
func (s *Script) mistake(text string) error {
	err := errors.New(text)
	s.failing.Lock()
	defer s.failing.Unlock()
	if s.problem == nil {
		s.problem = err
	}
	return err
}

// record records the text, tools and model of a request.
func (m *model) record(work string, at place, t *strand, req *chat.Request) {
	p := wire.Prompt{Text: promptText(req), Model: m.name}
	if req.Model != "" {
		p.Model = req.Model
	}
	for i := range req.Tools {
		p.Tools = append(p.Tools, req.Tools[i].Name)
	}
	s := m.script
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[place{work, at.branch}] = placed[wire.Prompt]{p, s.key(at)}
	if t.answered == 0 && t.noted >= 0 {
		s.executions[t.noted].value.Prompt = &p
	}
}

// promptText returns the text of a request.
func promptText(req *chat.Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for i := range req.Messages {
		m := &req.Messages[i]
		fmt.Fprintf(&b, "\n\n%s: %s", m.Role, m.Text)
		for j := range m.Media {
			b.WriteString("\n" + mediaText(&m.Media[j]))
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\n%s(%s)", c.Name, c.Arguments)
		}
	}
	return b.String()
}

// answer returns the next answer of the turn: the malformed ones, and then the entry's, repeatedly.
func (s *Script) answer(ctx context.Context, agent *wire.Agent, at place, t *strand, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	e := t.current
	malformed, err := s.before(ctx, at, t, stream)
	if malformed != nil || err != nil {
		return malformed, err
	}
	text := e.Answer
	text = cmp.Or(text, agent.Default)
	if text == nil && len(e.Calls) == 0 {
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no answer, which would be " + agent.Output)
	}
	if text == nil || e.Answer == nil && len(e.Calls) > 0 {
		text = new(string)
	}
	return played(*text, s.callsOf(at, t, e.Calls, req), usageOf(e.Usage), stream), nil
}

// before plays what precedes the answer of an entry: the malformed answers and, once, the entry's
// other effects.
func (s *Script) before(ctx context.Context, at place, t *strand, stream func(chat.Delta)) (*chat.Response, error) {
	e := t.current
	t.answered++
	if t.answered <= len(e.Malformed) {
		if t.answered == len(e.Malformed) {
			s.use(entryKey{t.work, t.index, "malformed"})
		}
		return played(e.Malformed[t.answered-1], nil, usageOf(e.Usage), stream), nil
	}
	if t.answered == len(e.Malformed)+1 {
		return nil, s.happen(ctx, at, e)
	}
	return nil, nil
}

func usageOf(u wire.Usage) chat.Usage {
	return chat.Usage{Input: u.Input, Output: u.Output, Cost: u.Cost}
}

// played returns a response and streams it. It streams the text in two pieces, so that a receiver
// that takes the first for the whole fails. The machine checks for cancellation afterwards.
func played(text string, calls []chat.ToolCall, usage chat.Usage, stream func(chat.Delta)) *chat.Response {
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
		turn.Stream = append(turn.Stream, chat.Delta{Tool: calls[i].Name, ToolID: calls[i].ID})
	}
	response, err := scripted.New(turn).Generate(context.Background(), &chat.Request{}, stream)
	if err != nil {
		panic(err) // the script has this turn, and it does not fail
	}
	return response
}

// summarize returns the summary of an entry, or fails as the entry does.
func (s *Script) summarize(ctx context.Context, agent *wire.Agent, at place, t *strand) (*chat.Response, error) {
	if t.current.Summary == nil {
		if err := s.happen(ctx, at, t.current); err != nil {
			return nil, err
		}
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no summary")
	}
	s.use(entryKey{agent.Work, t.index, "summary"})
	return played(*t.current.Summary, nil, chat.Usage{}, nil), nil
}

// judge returns which of the offered edges holds. For a node that picks from a pool, or of which nothing
// is called, the question has an entry of its own.
func (s *Script) judge(agent *wire.Agent, at place, offered []string) (*chat.Response, error) {
	if agent.Apart {
		s.mu.Lock()
		s.begin(agent.Work, at)
		s.mu.Unlock()
	}
	e, index := s.lastEntry(agent.Work, at)
	c := e.Choose
	if c == nil {
		return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no choose, and the judge is asked: " + strings.Join(offered, " / "))
	}
	s.use(entryKey{agent.Work, index, "choose"})
	answer := c.Other
	switch {
	case c.Error != nil:
		return nil, errorOf(*c.Error)
	case c.None:
		answer = none
		if !slices.Contains(offered, none) {
			return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the judge is to choose none, and is not offered it: " + strings.Join(offered, " / "))
		}
	case len(c.Whens) > 0:
		at := slices.IndexFunc(offered, func(when string) bool { return slices.Contains(c.Whens, when) })
		if at < 0 {
			return nil,
				s.mistake("node " + strconv.Quote(agent.Work) + ": the judge is to choose " + strconv.Quote(c.Answer) +
					", and is not offered it: " + strings.Join(offered, " / "))
		}
		answer = strconv.Itoa(at + 1)
	}
	return played(`{"choice":`+quoteJSON(answer)+`}`, nil, chat.Usage{}, nil), nil
}

const none = "none"

// choices returns the texts of the choices offered to a judge, in order. Each follows its number,
// and may have several lines.
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

// longest returns the longest of the texts that are a prefix of text, else its first line.
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
func (s *Script) evaluate(agent *wire.Agent, at place, req *chat.Request) (*chat.Response, error) {
	e, index := s.lastEntry(agent.Work, at)
	text := req.Messages[len(req.Messages)-1].Text
	judges := func(criterion string) bool { return strings.HasPrefix(text, "Criterion: "+criterion+"\n\n") }
	for criterion, name := range agent.Gates {
		if judges(criterion) {
			return s.gate(agent.Work, name, at)
		}
	}
	for criterion, name := range agent.Evals {
		if !judges(criterion) {
			continue
		}
		o, ok := e.Evals[name]
		if !ok {
			return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the script has no answer for the eval " + strconv.Quote(name))
		}
		s.use(entryKey{agent.Work, index, "evals"})
		if o.Error != nil {
			return nil, errorOf(*o.Error)
		}
		return played(`{"pass":`+strconv.FormatBool(o.Pass)+`}`, nil, chat.Usage{}, nil), nil
	}
	return nil, s.mistake("node " + strconv.Quote(agent.Work) + ": the model is asked for an eval that there is not")
}

// gate returns the model's judgement of an output for a guard.
func (s *Script) gate(work, name string, at place) (*chat.Response, error) {
	pass, message := true, ""
	e, index := s.guarded(at)
	s.use(entryKey{work, index, "guards_failed " + name})
	switch v := e.Guards[name]; {
	case v.Error != nil:
		return nil, errorOf(*v.Error)
	case v.Reject != nil:
		pass, message = false, *v.Reject
	}
	text, err := jsontext.AppendQuote(nil, message)
	if err != nil {
		return nil, s.mistake("the message of guard " + strconv.Quote(name) + ": " + err.Error())
	}
	return played(`{"pass":`+strconv.FormatBool(pass)+`,"message":`+string(text)+`}`, nil, chat.Usage{}, nil), nil
}

// An entryKey is a key of an entry whose use is recorded.
type entryKey struct {
	node  string
	entry int
	key   string
}

// use records the use of a key of an entry.
func (s *Script) use(key entryKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[key] = true
}

// lastEntry returns the entry of the node's last execution in a branch.
func (s *Script) lastEntry(work string, at place) (e *wire.Entry, index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entryOf(work, at)
}

// unasked returns the keys of used entries that no request used, and the hooks that no step called: they test nothing.
func (s *Script) unasked(calls map[string][]int) []wire.Unasked {
	var list []wire.Unasked
	for i := range s.scenario.Hooks {
		if key := (entryKey{entry: i, key: "hooks"}); !s.used[key] {
			list = append(list, wire.Unasked{Entry: i, Key: key.key})
		}
	}
	for work, steps := range s.scenario.Script {
		for _, leaf := range steps.Leaves() {
			for i := range min(calls[work][leaf.Number], len(leaf.Entries)) {
				e, index := &leaf.Entries[i], leaf.First+i
				for key, written := range map[string]bool{
					"choose": e.Choose != nil, "evals": e.Evals != nil, "summary": e.Summary != nil, "malformed": len(e.Malformed) > 0,
				} {
					if written && !s.used[entryKey{work, index, key}] {
						list = append(list, wire.Unasked{Node: work, Entry: index, Key: key})
					}
				}
				if slices.ContainsFunc(e.Judged, func(name string) bool { return !s.used[entryKey{work, index, "guards_failed " + name}] }) {
					list = append(list, wire.Unasked{Node: work, Entry: index, Key: "guards_failed"})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b wire.Unasked) int {
		return strings.Compare(a.Node+a.Key+strconv.Itoa(a.Entry), b.Node+b.Key+strconv.Itoa(b.Entry))
	})
	return list
}
