// Package scripted has a model that plays a script: for tests, scenarios and benchmarks,
// which need answers without a network.
package scripted

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Script is the list of answers of a model.
type Script struct {
	// Turns are the answers, in order, by the caller; the turns of "" are for callers without turns
	// of their own.
	Turns map[string][]Turn
	// Key returns the caller of a request, such as its node, graphgen.Info(ctx).Node; nil: all are one.
	Key func(ctx context.Context, req *chat.Request) string
	// Repeat plays the last turn again, the names of its calls too, when no other is left. Without it, the error is ErrNoTurn.
	Repeat bool
	// Forget keeps no requests, for runs without an end.
	Forget bool
}

// A Turn is one answer. The zero value is an empty text.
type Turn struct {
	Text      string
	Output    codec.Marshaler // is the text as JSON, where it is not nil
	Reasoning string
	Calls     []chat.ToolCall // without an ID: "call-1", "call-2" … of the script
	Usage     chat.Usage
	Finish    chat.Finish // empty: as the calls say
	Err       error       // fails the call, after what is streamed

	// Stream is the deltas of the answer; nil: the whole answer. Its texts together are the text of
	// a turn that has none.
	Stream []chat.Delta
	Wait   time.Duration // before the answer begins
	Pause  time.Duration // between its pieces

	// Check looks at the request; its error fails the call, wrapped with the number of the turn.
	Check func(*chat.Request) error
}

// Asked is a request that was made.
type Asked struct {
	Key     string
	Request chat.Request
}

// A turnError reports a request that the script does not provide for.
type turnError struct {
	key    string // who asks
	number int    // of the turn, from 1
	err    error  // what is wrong
}

func (e *turnError) Error() string {
	who := ""
	if e.key != "" {
		who = " of " + quote.Text(e.key)
	}
	return "turn " + strconv.Itoa(e.number) + who + " of the script: " + e.err.Error()
}

func (e *turnError) Unwrap() error { return e.err }

// ErrNoTurn is in the error of a call for which the script has no turn left: give the script more turns, or Repeat.
var ErrNoTurn = errors.New("there is none left")

// A Model plays a script. It is safe for concurrent use, but the order in which concurrent requests
// of one key get their turns is undefined. It shares its responses: callers must not change them.
type Model struct {
	key    func(ctx context.Context, req *chat.Request) string
	parts  map[string]*role
	repeat bool
	forget bool

	mu       sync.Mutex
	asked    []asked
	messages []chat.Message // of all requests, one after the other: they need not be allocated one by one
}

// A role is the part of one who asks.
type role struct {
	turns []turn
	next  int
}

// A turn is one that is ready to be played.
type turn struct {
	Turn
	response chat.Response
	err      error // that makes it unplayable
}

type asked struct {
	key     string
	request chat.Request // without its messages
	end     int          // of its messages
}

// New returns a model that plays the turns for all who ask.
func New(turns ...Turn) *Model { return Play(Script{Turns: map[string][]Turn{"": turns}}) }

// Play returns a model that plays the script.
func Play(s Script) *Model {
	m := &Model{key: s.Key, repeat: s.Repeat, forget: s.Forget, parts: make(map[string]*role, len(s.Turns)+1)}
	m.parts[""] = &role{}
	calls := 0
	for _, key := range slices.Sorted(maps.Keys(s.Turns)) {
		r := &role{turns: make([]turn, len(s.Turns[key]))}
		for i, t := range s.Turns[key] {
			r.turns[i] = prepared(t, &calls)
		}
		m.parts[key] = r
	}
	return m
}

// prepared makes the response of a turn; calls counts those that were given a name.
func prepared(t Turn, calls *int) turn {
	p := turn{Turn: t}
	if t.Output != nil {
		text, err := codec.Marshal(t.Output)
		p.Text, p.err = string(text), err
	}
	if p.Text == "" {
		var text strings.Builder
		for _, d := range t.Stream {
			text.WriteString(d.Text)
		}
		p.Text = text.String()
	}
	p.Calls = slices.Clone(t.Calls)
	for i := range p.Calls {
		if c := &p.Calls[i]; c.ID == "" {
			*calls++
			c.ID = "call-" + strconv.Itoa(*calls)
		}
	}
	message := chat.Message{Role: chat.RoleAssistant, Text: p.Text, Calls: p.Calls}
	if t.Reasoning != "" {
		message.Reasoning = []chat.Reasoning{{Text: t.Reasoning}}
	}
	finish := t.Finish
	switch {
	case finish != "":
	case len(p.Calls) > 0:
		finish = chat.ToolCalls
	default:
		finish = chat.Stop
	}
	p.response = chat.Response{Message: message, Finish: finish, Usage: t.Usage, Model: "scripted"}
	if t.Stream == nil {
		p.Stream = pieces(&message)
	}
	return p
}

// pieces returns the deltas of a message for a stream.
func pieces(m *chat.Message) []chat.Delta {
	var all []chat.Delta
	for _, r := range m.Reasoning {
		all = append(all, chat.Delta{Reasoning: r.Text})
	}
	if m.Text != "" {
		all = append(all, chat.Delta{Text: m.Text})
	}
	for _, c := range m.Calls {
		all = append(all, chat.Delta{Tool: c.Name, ToolID: c.ID})
	}
	return all
}

// Unpriced returns an empty string: the usage of a turn has its cost.
func (m *Model) Unpriced(string) string { return "" }

// Generate plays the next turn of who asks.
func (m *Model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key := ""
	if m.key != nil {
		key = m.key(ctx, req)
	}
	t, number := m.take(key, req)
	if t == nil {
		return nil, &turnError{key, number, ErrNoTurn}
	}
	if t.err != nil {
		return nil, &turnError{key, number, t.err}
	}
	if t.Check != nil {
		if err := t.Check(req); err != nil {
			return nil, &turnError{key, number, err}
		}
	}
	if err := t.play(ctx, stream); err != nil {
		return nil, err
	}
	return &t.response, nil
}

// take notes the request, and returns the turn that answers it and the turn's number. It
// returns nil if none is left.
func (m *Model) take(key string, req *chat.Request) (*turn, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.forget {
		kept := *req
		kept.Messages = nil
		m.messages = append(m.messages, req.Messages...)
		m.asked = append(m.asked, asked{key, kept, len(m.messages)})
	}
	r := m.parts[key]
	if r == nil {
		r = m.parts[""]
	}
	switch {
	case r.next < len(r.turns):
		r.next++
	case len(r.turns) == 0 || !m.repeat:
		return nil, len(r.turns) + 1
	}
	return &r.turns[r.next-1], r.next
}

// play waits and streams as the turn describes, and returns its error, or the context's.
func (t *turn) play(ctx context.Context, stream func(chat.Delta)) error {
	if err := wait(ctx, t.Wait); err != nil {
		return err
	}
	for i, d := range t.Stream {
		if i > 0 {
			if err := wait(ctx, t.Pause); err != nil {
				return err
			}
		}
		if stream != nil {
			stream(d)
		}
	}
	return t.Err
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Asked returns copies of the requests that were made so far, in their order. Requests that
// found no turn are among them.
func (m *Model) Asked() []Asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Asked, len(m.asked))
	start := 0
	for i, a := range m.asked {
		all[i] = Asked{a.key, a.request}
		all[i].Request.Messages = slices.Clone(m.messages[start:a.end])
		start = a.end
	}
	return all
}

// Left returns the number of turns that have not been played, by key. Keys without turns left
// are not in it.
func (m *Model) Left() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := map[string]int{}
	for key, r := range m.parts {
		if n := len(r.turns) - r.next; n > 0 {
			left[key] = n
		}
	}
	return left
}

// Rewind restarts the script, and drops the recorded requests. It does not wait for calls that
// are being made.
func (m *Model) Rewind() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.parts {
		r.next = 0
	}
	clear(m.asked)
	clear(m.messages)
	m.asked, m.messages = m.asked[:0], m.messages[:0]
}
