package faultinject

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// Model is the model of a machine: it answers as its requests require, unless it
// misbehaves.
func (p *Player) Model() chat.Model { return chat.ModelFunc(p.generate) }

func (p *Player) generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	p.count()
	if req.Purpose != chat.Summarize {
		p.asked.Add(1)
	}
	if err := wellFormed(req); err != nil {
		p.wrong("a provider would refuse a request: %v\n%.3000s", err, transcript(req))
	}
	p.confide(p.of, req)
	said, err := p.say(ctx, req)
	if stream != nil && said != nil {
		stream(chat.Delta{Text: said.Message.Text, Reasoning: "hm"})
		if p.Float64() < p.wild {
			go stream(chat.Delta{Text: "too late"})
		}
	}
	return said, err
}

// say answers a request as required, and now and then otherwise.
func (p *Player) say(ctx context.Context, req *chat.Request) (*chat.Response, error) {
	if p.Float64() < p.wild {
		return p.misbehave(ctx, req)
	}
	must := req.Choice.Mode == chat.Required || req.Choice.Mode == chat.Named
	if len(req.Tools) > 0 && req.Choice.Mode != chat.None && (must || p.IntN(2) == 0) {
		return p.callTools(req), nil
	}
	return p.answer(req), nil
}

// answer is an answer that fits.
func (p *Player) answer(req *chat.Request) *chat.Response {
	text := "an answer " + p.word()
	if req.Output != nil {
		text = p.fitting(req.Output.JSON)
	}
	return p.response(chat.Message{Text: text}, chat.Stop)
}

// callTools requests one of the tools that are offered, or several in one turn.
func (p *Player) callTools(req *chat.Request) *chat.Response {
	var m chat.Message
	for range 1 + p.IntN(3) {
		t := req.Tools[p.IntN(len(req.Tools))]
		for _, named := range req.Tools {
			if req.Choice.Mode == chat.Named && named.Name == req.Choice.Name {
				t = named
			}
		}
		m.Calls = append(m.Calls, chat.ToolCall{ID: fmt.Sprint("c", p.left.Load(), "/", len(m.Calls)), Name: t.Name, Arguments: p.fitting(t.Schema)})
	}
	return p.response(m, chat.ToolCalls)
}

func (p *Player) response(m chat.Message, finish chat.Finish) *chat.Response {
	m.Role = chat.RoleAssistant
	return &chat.Response{Message: m, Finish: finish, Usage: chat.Usage{Input: p.IntN(2000), Output: p.IntN(500), Cost: p.Float64() / 100}}
}

// misbehave fails, or answers what does not fit.
func (p *Player) misbehave(ctx context.Context, req *chat.Request) (*chat.Response, error) {
	switch p.IntN(9) {
	case 0:
		panic(errRefused)
	case 1:
		return nil, p.failure()
	case 2:
		return nil, wait(ctx)
	case 3:
		linger()
		return p.answer(req), nil
	case 4:
		p.cancel()
		return p.answer(req), nil
	case 5:
		return p.answer(req), p.failure()
	case 6:
		return nil, nil
	case 7:
		return p.wildCalls(req), nil
	}
	return p.nonsense(req), nil
}

// failure is an error of a provider.
func (p *Player) failure() error {
	list := []error{
		errRefused, graphgen.Transient(errRefused), chat.Fatal(errRefused),
		&graphgen.RunError{Err: &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: "tokens"}},
		&chat.ModelError{Kind: chat.RateLimited}, &chat.ModelError{Kind: chat.RateLimited, Wait: 20 * time.Second},
		&chat.ModelError{Kind: chat.RateLimited, Wait: math.MaxInt64}, &chat.ModelError{Kind: chat.RateLimited, Wait: -1},
		&chat.ModelError{Kind: chat.Unreachable, Status: 503}, &chat.ModelError{Kind: chat.Unreachable, Err: errRefused},
		&chat.ModelError{Kind: chat.BadRequest, Status: 401}, &chat.ModelError{Kind: chat.Refused},
		&chat.ModelError{Kind: chat.ContextTooLong, Limit: 1, Used: 2}, &chat.ModelError{Kind: chat.Malformed},
		context.Canceled, context.DeadlineExceeded, errors.Join(errRefused, &chat.ModelError{Kind: chat.Unreachable}),
	}
	return list[p.IntN(len(list))]
}

// wildCalls are calls of tools as they should not be: unknown ones, with wrong arguments,
// without an ID or with that of another, too many, where there are none, cut off.
func (p *Player) wildCalls(req *chat.Request) *chat.Response {
	names := append([]string{"nobody", ""}, p.words...)
	schemas := []string{`{}`}
	for _, t := range req.Tools {
		names, schemas = append(names, t.Name, t.Name, t.Name), append(schemas, t.Schema)
	}
	m := chat.Message{Text: p.word(), Reasoning: []chat.Reasoning{{Opaque: "x", Hidden: true}}}
	for range []int{1, 1, 2, 3, 40}[p.IntN(5)] {
		args := []string{"", "{}", "null", "[]", `{"`, p.word(), p.fitting(schemas[p.IntN(len(schemas))])}
		m.Calls = append(m.Calls, chat.ToolCall{
			ID: []string{"", "a", "b", "c"}[p.IntN(4)], Name: strings.ToValidUTF8(names[p.IntN(len(names))], ""), Arguments: args[p.IntN(len(args))],
		})
	}
	return p.response(m, []chat.Finish{chat.ToolCalls, chat.Stop, chat.Length, "odd"}[p.IntN(4)])
}

// nonsense returns an answer that is unusable, or usable only in part.
func (p *Player) nonsense(req *chat.Request) *chat.Response {
	said := p.answer(req)
	text := &said.Message.Text
	if change := strings.Contains(*text, "_graph_action"); change && p.IntN(2) == 0 {
		*text = p.wildChange(*text)
		return said
	}
	switch p.IntN(12) {
	case 0:
		*text, said.Finish = (*text)[:len(*text)/2], chat.Length
	case 1:
		*text = "Here you are:\n```json\n" + *text + "\n```\nIs that fine?"
	case 2:
		*text = ""
	case 3:
		*text, said.Finish = "", chat.ToolCalls
	case 4:
		*text = strings.Repeat(`{"a":[`, 5000)
	case 5:
		*text = strings.Repeat("wordy ", 3000)
	case 6:
		*text += *text
	case 7:
		*text = "\xff\xfe" + *text
	case 8:
		said.Message.Role = chat.RoleTool
		said.Usage = chat.Usage{Input: -5, Output: math.MaxInt, Cost: math.NaN()}
	case 9:
		*text = fmt.Sprintf(`{"choice":%q,"route":%q,"pass":"yes"}`, p.word(), p.word())
	case 10:
		*text = []string{"1", "none", "null", "[]", "{}", `""`, "true"}[p.IntN(7)]
	case 11:
		*text = p.word()
	}
	return said
}

// wellFormed returns an error for what a provider would refuse in a request: schemas that are no
// JSON, two tools of a name, calls without results, results without calls or in another order,
// messages without a role or without content.
func wellFormed(req *chat.Request) error {
	if req.Output != nil && !json.Valid([]byte(req.Output.JSON)) {
		return errors.New("the schema of the output is no JSON: " + req.Output.JSON)
	}
	for i, t := range req.Tools {
		if !json.Valid([]byte(t.Schema)) || slices.ContainsFunc(req.Tools[:i], func(s chat.ToolSpec) bool { return s.Name == t.Name }) {
			return fmt.Errorf("tool %d is %+v", i, t)
		}
	}
	var open []chat.ToolCall // calls that wait for their results
	for i := range req.Messages {
		m := &req.Messages[i]
		switch {
		case m.Role == chat.RoleTool:
			if len(open) == 0 || open[0].ID != m.Call || open[0].Name != m.Name {
				return fmt.Errorf("message %d is the result of %s, the calls that wait are %v", i, m.Call, open)
			}
			open = open[1:]
			continue
		case len(open) > 0:
			return fmt.Errorf("message %d stands before the results of %v", i, open)
		case m.Role != chat.RoleUser && m.Role != chat.RoleAssistant, m.Text == "" && len(m.Calls)+len(m.Media) == 0:
			return fmt.Errorf("message %d is %s's, and says nothing: %+v", i, m.Role, m)
		}
		open = m.Calls
	}
	if len(open) > 0 || len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role == chat.RoleAssistant {
		return errors.New("the request does not end with something to answer")
	}
	return nil
}

func transcript(req *chat.Request) string {
	var b strings.Builder
	for i := range req.Messages {
		m := &req.Messages[i]
		fmt.Fprintf(&b, "%s: %.100q", m.Role, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " %s:%s(%.40s)", c.ID, c.Name, c.Arguments)
		}
		b.WriteString("\n")
	}
	return b.String()
}
