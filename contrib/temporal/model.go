package temporal

import (
	"context"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// Model returns the model of a workflow: each call of it is an activity that asks the model of a worker.
func (a *Activities) Model(of chat.Model) chat.Model { return a.model("model.own", of) }

func (a *Activities) model(name string, of chat.Model) chat.Model {
	a.Handle(name, func(ctx context.Context, t *Task) error { return a.ask(ctx, t, of) })
	return &distantModel{a, name, of}
}

// A distantModel is a model whose calls are activities.
type distantModel struct {
	*Activities
	name string
	of   chat.Model // for its price
}

// Unpriced returns which model has no price.
func (m *distantModel) Unpriced(name string) string { return chat.Unpriced(m.of, name) }

// The parts of a request and of an answer. A request is two values: its settings, which the calls of a node share, and its conversation.
type (
	requested struct {
		Purpose     chat.Purpose    `json:"purpose,omitempty"`
		Model       string          `json:"model,omitempty"`
		System      string          `json:"system,omitempty"`
		Tools       []chat.ToolSpec `json:"tools,omitempty"`
		Choice      chat.ToolChoice `json:"choice,omitzero"`
		Output      *chat.Schema    `json:"output,omitempty"`
		Temperature *float64        `json:"temperature,omitempty"`
		MaxTokens   int             `json:"max_tokens,omitempty"`
		Cache       bool            `json:"cache,omitempty"`
	}
	responded struct {
		Message json.RawMessage `json:"message"`
		Finish  chat.Finish     `json:"finish,omitempty"`
		Usage   json.RawMessage `json:"usage,omitempty"`
		Model   string          `json:"model,omitempty"`
		ID      string          `json:"id,omitempty"`
		Tries   *tries          `json:"tries,omitempty"` // nil: one call has given it
	}
	// A segment is the end of a conversation.
	segment struct {
		After    string          `json:"after,omitempty"` // the name of the segment before it
		Messages json.RawMessage `json:"messages"`
	}
)

// Generate executes the activity. There is no stream: an answer is in the history as a whole.
func (m *distantModel) Generate(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	h, _ := ctx.Value(hostKey{}).(*host)
	if h == nil {
		return nil, errNoHost
	}
	settings, err := json.Marshal(requested{
		req.Purpose, req.Model, req.System, req.Tools, req.Choice, req.Output, req.Temperature, req.MaxTokens, req.Cache,
	})
	if err != nil {
		return nil, err
	}
	conversation, err := m.conversation(ctx, h, req.Messages)
	if err != nil {
		return nil, err
	}
	values, err := m.call(ctx, h, m.name, task{Left: engine.Unspent(ctx), Counts: true}, []json.RawMessage{settings, conversation})
	if err != nil {
		var t *tries
		if f := failureIn(err); f != nil {
			t = f.Tries
		}
		return m.counted(ctx, req, t, nil, returned(ctx, err))
	}
	if len(values) != 1 {
		return nil, fmt.Errorf("the activity %s returned %d values", m.name, len(values))
	}
	var r responded
	if err := json.Unmarshal(values[0], &r); err != nil {
		return nil, err
	}
	resp, err := r.response()
	if err != nil {
		return nil, err
	}
	return m.counted(ctx, req, r.Tries, resp, nil)
}

// A conversation is what a host has received of the messages of a place. The next request sends only the rest.
type conversation struct {
	messages []chat.Message
	marks    []mark
}

// A mark is a segment that is in the store.
type mark struct {
	length int // of the conversation up to it
	depth  int // segments before it
	name   string
}

// deepest is how many segments follow one another at most: a worker that knows none of them reads each.
const deepest = 32

// conversation returns messages as an activity gets them: the name of the last segment in the store, or, without a store, a segment.
func (m *distantModel) conversation(ctx context.Context, h *host, messages []chat.Message) (json.RawMessage, error) {
	if m.set.store == nil {
		return segmentOf("", messages)
	}
	i := graphgen.Info(ctx)
	place := i.Within + "\n" + i.Node + "\n" + i.Branch + "\n" + m.name
	t := h.spoken[place]
	if t == nil {
		t = new(conversation)
		h.spoken[place] = t
	}
	same := 0
	for same < min(len(t.messages), len(messages)) && t.messages[same].Equal(messages[same]) {
		same++
	}
	for len(t.marks) > 0 && t.marks[len(t.marks)-1].length > same {
		t.marks = t.marks[:len(t.marks)-1]
	}
	var last mark
	if len(t.marks) > 0 {
		last = t.marks[len(t.marks)-1]
	}
	if last.length == len(messages) && last.name != "" {
		return quoted(last.name), nil
	}
	if last.depth == deepest {
		last, t.marks = mark{}, nil
	}
	data, err := segmentOf(last.name, messages[last.length:])
	if err != nil {
		return nil, err
	}
	var name string
	h.do(ctx, func(w workflow.Context) {
		h.stores(w, func() error { name, err = m.set.store.put(context.Background(), data); return err })
	})
	t.marks = append(t.marks, mark{len(messages), last.depth + 1, name})
	t.messages = append(t.messages[:0:0], messages...)
	return quoted(name), nil
}

func segmentOf(after string, messages []chat.Message) (json.RawMessage, error) {
	list, err := codec.Marshal(codec.OfList(messages, chatjson.EncodeMessage))
	if err != nil {
		return nil, fmt.Errorf("the conversation has no JSON: %w", err)
	}
	return json.Marshal(segment{after, list})
}

// ask asks the model in a worker.
func (a *Activities) ask(ctx context.Context, t *Task, of chat.Model) error {
	if len(t.in) != 2 {
		return fmt.Errorf("the input of the activity has %d values: it is of another version", len(t.in))
	}
	var asked requested
	if err := json.Unmarshal(t.in[0], &asked); err != nil {
		return err
	}
	messages, err := a.messages(ctx, t.in[1])
	if err != nil {
		return err
	}
	calls := &tally{left: t.left}
	resp, err := of.Generate(context.WithValue(ctx, chat.CallerKey{}, calls), &chat.Request{
		Purpose: asked.Purpose, Model: asked.Model, System: asked.System, Messages: messages, Tools: asked.Tools, Choice: asked.Choice,
		Output: asked.Output, Temperature: asked.Temperature, MaxTokens: asked.MaxTokens, Cache: asked.Cache,
	}, nil)
	var r *responded
	if err == nil {
		r, err = respond(resp)
	}
	made := calls.of(resp, err)
	if !t.counts { // a worker of this version could not replay what the workflow has not counted
		made = nil
	}
	switch {
	case err != nil && made != nil:
		return &triedError{err, made}
	case err != nil:
		return err
	}
	r.Tries = made
	data, err := json.Marshal(r)
	t.out = []json.RawMessage{data}
	return err
}

// respond returns an answer as an activity returns it. It is of the assistant, as for a run in this process, whatever role a model gives it.
func respond(resp *chat.Response) (*responded, error) {
	said := resp.Message
	said.Role = chat.RoleAssistant
	message, err := codec.Marshal(codec.Of(said, chatjson.EncodeMessage))
	if err != nil {
		return nil, fmt.Errorf("the answer has no JSON: %w", err)
	}
	usage, err := codec.Marshal(codec.Of(resp.Usage, chatjson.EncodeUsage))
	if err != nil {
		return nil, fmt.Errorf("the usage has no JSON: %w", err)
	}
	return &responded{Message: message, Finish: resp.Finish, Usage: usage, Model: resp.Model, ID: resp.ID}, nil
}

// messages returns the messages of a conversation in a worker.
func (a *Activities) messages(ctx context.Context, data json.RawMessage) ([]chat.Message, error) {
	var parts [][]chat.Message
	for {
		var name string
		if json.Unmarshal(data, &name) == nil {
			if a.set.store == nil {
				return nil, errNoStore
			}
			var err error
			if data, err = a.set.store.get(ctx, name); err != nil {
				return nil, err
			}
		}
		var s segment
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		var list []chat.Message
		read := func(v *[]chat.Message, d *codec.Decoder) { codec.ReadList(v, d, chatjson.DecodeMessage) }
		if err := codec.Unmarshal(s.Messages, codec.Into(&list, read)); err != nil {
			return nil, err
		}
		parts = append(parts, list)
		if s.After == "" {
			break
		}
		data = quoted(s.After)
	}
	var all []chat.Message
	for i := len(parts) - 1; i >= 0; i-- {
		all = append(all, parts[i]...)
	}
	return all, nil
}

// response returns the answer of an activity.
func (r *responded) response() (*chat.Response, error) {
	resp := &chat.Response{Finish: r.Finish, Model: r.Model, ID: r.ID}
	if err := codec.Unmarshal(r.Message, codec.Into(&resp.Message, chatjson.DecodeMessage)); err != nil {
		return nil, err
	}
	return resp, codec.Unmarshal(r.Usage, codec.Into(&resp.Usage, chatjson.DecodeUsage))
}
