package record

import (
	"context"
	"sync"

	"github.com/graphgen/graphgen/chat"
)

// A Player plays a recording. It is safe for concurrent use.
type Player struct {
	// By returns the caller, as the recorder's does. It is set before the first call.
	By func(context.Context) string

	// Redact is the function that the recorder had; nil is Secrets. What is sent passes it before
	// it is looked for. It is set before the first call.
	Redact func(text string) string

	clean   redaction
	book    book
	entries []*entry // all calls, in order

	mu       sync.Mutex
	models   map[modelKey][]*entry // those that have not been made, by what they are
	tools    map[toolKey][]*entry
	lists    map[string][]*entry
	diverged *DivergenceError // the first
}

// What calls are found by.
type (
	modelKey struct {
		by       string
		purpose  chat.Purpose
		settings int
		at       *turn
	}
	toolKey struct{ by, name, arguments string }
)

// An entry is a recorded call.
type entry struct {
	number         int
	kind, name, by string
	made           bool

	model *modelCall // one of these three
	tool  *toolCall
	list  *toolList
	at    *turn // of the model's: the end of the conversation
}

// take takes the first of the calls, nil if none is left.
func take(calls []*entry) (e *entry, left []*entry) {
	if len(calls) == 0 {
		return nil, calls
	}
	calls[0].made = true
	return calls[0], calls[1:]
}

// Done returns a *[DivergenceError] if a call diverged, or if one that was recorded has not
// been made.
func (p *Player) Done() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.diverged != nil {
		return p.diverged
	}
	var first *entry
	missing := 0
	for _, e := range p.entries {
		if e.made {
			continue
		}
		if missing++; first == nil {
			first = e
		}
	}
	if first == nil {
		return nil
	}
	return notMade(first, missing-1)
}

func (p *Player) cleaner() cleaner { return cleaner{&p.clean, p.Redact} }

func (p *Player) by(ctx context.Context) string {
	if p.By == nil {
		return ""
	}
	return p.By(ctx)
}

// diverge notes a call that is not in the recording.
func (p *Player) diverge(err *DivergenceError) error {
	if p.diverged == nil {
		p.diverged = err
	}
	return err
}

// Model returns a model that plays the recorded calls. It needs no model: m may be nil.
func (p *Player) Model(chat.Model) chat.Model { return replayed{p} }

type replayed struct{ p *Player }

// Unpriced returns nothing: what calls have cost was recorded.
func (replayed) Unpriced(string) string { return "" }

// Generate plays the call of the same request.
func (m replayed) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	c, err := m.p.model(m.p.by(ctx), m.p.cleaner().request(req))
	if err != nil {
		return nil, err
	}
	if stream != nil {
		for _, d := range c.pieces() {
			stream(d)
		}
	}
	if c.late {
		expire(ctx)
	}
	if c.response == nil {
		return nil, c.failure.Err()
	}
	resp := c.response.Response
	return &resp, c.failure.Err()
}

// pieces returns the deltas for a stream: the recorded ones, or the whole answer of a
// call that was not streamed.
func (c *modelCall) pieces() []chat.Delta {
	if c.deltas != nil || c.response == nil {
		return c.deltas
	}
	var all []chat.Delta
	for _, r := range c.response.Message.Reasoning {
		if r.Text != "" {
			all = append(all, chat.Delta{Reasoning: r.Text})
		}
	}
	if text := c.response.Message.Text; text != "" {
		all = append(all, chat.Delta{Text: text})
	}
	for _, call := range c.response.Message.Calls {
		all = append(all, chat.Delta{Tool: call.Name, ToolID: call.ID})
	}
	return all
}

func (p *Player) model(by string, req *chat.Request) (*modelCall, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, known := p.book.follow(req.Messages)
	key := modelKey{by, req.Purpose, p.book.find(req), at}
	calls, recorded := p.models[key]
	if recorded = recorded && known == len(req.Messages); recorded {
		if e, left := take(calls); e != nil {
			p.models[key] = left
			return e.model, nil
		}
		return nil, p.diverge(oneMore("model", string(req.Purpose)))
	}
	e := p.like(by, req, at)
	if e == nil {
		return nil, p.diverge(foreign("model", string(req.Purpose), p.entries))
	}
	was := p.book.settings[e.model.settings-1]
	was.Purpose, was.Messages = e.model.purpose, e.at.conversation()
	return nil, p.diverge(differs(e, requestFields(e.by, &was), requestFields(by, req)))
}

// like returns the call that resembles a request most, of those that have not been made: by
// who calls, the purpose, and how long the conversations are the same; at is how far that is
// of all.
func (p *Player) like(by string, req *chat.Request, at *turn) *entry {
	common := map[*turn]int{} // how many messages the request shares with what ends there
	var path []*turn
	for t := at; t != nil; t = t.before {
		path = append(path, t)
	}
	for i, t := range path {
		common[t] = len(path) - 1 - i
	}
	var best *entry
	most := -1
	for _, e := range p.entries {
		if e.made || e.model == nil {
			continue
		}
		score := 2 * shared(e.at, common)
		if sameSettings(&p.book.settings[e.model.settings-1], req) {
			score++
		}
		if e.model.purpose == req.Purpose {
			score += 2 * (len(p.book.turns) + 1)
		}
		if e.by == by {
			score += 2 * (len(p.book.turns) + 1)
		}
		if score > most {
			best, most = e, score
		}
	}
	return best
}

// shared returns how many messages a conversation shares with the one whose turns are known.
// It keeps what it has found, so that no turn is passed twice.
func shared(end *turn, common map[*turn]int) int {
	t := end
	for {
		if n, known := common[t]; known {
			for ; end != t; end = end.before {
				common[end] = n
			}
			return n
		}
		t = t.before
	}
}

// Toolbox returns a toolbox that has the recorded tools. It needs none: t may be nil.
func (p *Player) Toolbox(chat.Toolbox) chat.Toolbox { return replayedBox{p} }

type replayedBox struct{ p *Player }

// Serves reports true: the recording has the tools of all servers.
func (b replayedBox) Serves(string) bool { return true }

// Tools returns the tools that were there when the recorded run asked.
func (b replayedBox) Tools(ctx context.Context) ([]chat.Tool, error) {
	c, err := b.p.list(b.p.by(ctx))
	if err != nil {
		return nil, err
	}
	tools := make([]chat.Tool, len(c.tools))
	for i, spec := range c.tools {
		tools[i] = tool{spec, func(ctx context.Context, arguments string) (chat.ToolResult, error) {
			return b.p.Call(ctx, spec.Name, arguments, nil)
		}}
	}
	return tools, c.failure.Err()
}

func (p *Player) list(by string) (*toolList, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, left := take(p.lists[by])
	if e == nil {
		return nil, p.diverge(oneMore("tools", ""))
	}
	p.lists[by] = left
	return e.list, nil
}

// Call plays the recorded call of a tool. It does not need the function.
func (p *Player) Call(ctx context.Context, name, arguments string, _ func(context.Context) (chat.ToolResult, error)) (chat.ToolResult, error) {
	c, err := p.tool(toolKey{p.by(ctx), name, p.cleaner().of(arguments)})
	if err != nil {
		return chat.ToolResult{}, err
	}
	if c.late {
		expire(ctx)
	}
	return c.result, c.failure.Err()
}

// expire waits for the deadline of the context, so that who looks at it sees what was seen
// in the recorded run. One without a deadline is not waited for.
func expire(ctx context.Context) {
	if _, ok := ctx.Deadline(); ok {
		<-ctx.Done()
	}
}

func (p *Player) tool(key toolKey) (*toolCall, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls, recorded := p.tools[key]
	if e, left := take(calls); e != nil {
		p.tools[key] = left
		return e.tool, nil
	}
	if recorded {
		return nil, p.diverge(oneMore("tool", key.name))
	}
	var like *entry
	for _, e := range p.entries {
		if e.made || e.tool == nil || e.name != key.name {
			continue
		}
		if like == nil || e.by == key.by && like.by != key.by {
			like = e
		}
	}
	if like == nil {
		return nil, p.diverge(foreign("tool", key.name, p.entries))
	}
	return nil, p.diverge(differs(like, toolFields(toolKey{like.by, like.name, like.tool.arguments}), toolFields(key)))
}
