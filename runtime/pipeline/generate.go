package pipeline

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
)

// Generate calls a model once, within the budget of the run, and counts its usage. A panic or
// an answer without content is an error. It repairs messages of another role, bytes that are
// not UTF-8, and calls without distinct IDs.
func Generate(ctx context.Context, run *graphrt.Run, model chat.Model, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := run.Asking(); err != nil {
		return nil, err
	}
	said, err := generate(ctx, run, model, req, stream)
	var used chat.Usage
	if said != nil {
		used = said.Usage
	}
	run.Asked(used)
	switch {
	case err != nil:
		return nil, err
	case said == nil:
		return nil, &chat.MalformedError{What: "the model gave neither an answer nor an error"}
	}
	return proper(said), nil
}

func generate(ctx context.Context, run *graphrt.Run, model chat.Model, req *chat.Request, stream func(chat.Delta)) (said *chat.Response, err error) {
	if stream != nil {
		g := &gate{stream: stream}
		defer g.shut()
		stream = g.pass
	}
	defer func() { run.Caught(recover(), &err) }()
	return model.Generate(ctx, req, stream)
}

// A gate is between a model and the receivers of its stream. It is shut once the model has
// answered, so it drops deltas that a goroutine of the model sends later.
type gate struct {
	mu     sync.Mutex
	stream func(chat.Delta)
}

func (g *gate) pass(d chat.Delta) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stream != nil {
		g.stream(d)
	}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stream = nil
}

// proper returns an answer in the form that conversations need: of the assistant, and with
// calls that have distinct IDs. Providers refuse a conversation with any other.
func proper(said *chat.Response) *chat.Response {
	m := &said.Message
	distinct := areDistinct(m.Calls)
	if m.Role == chat.RoleAssistant && distinct && utf8.ValidString(m.Text) {
		return said
	}
	mended := *said // others may share it
	mended.Message.Role = chat.RoleAssistant
	mended.Message.Text = strings.ToValidUTF8(m.Text, "\ufffd") // or nothing that holds it had a JSON
	if !distinct {
		mended.Message.Calls = distinctCalls(m.Calls)
	}
	return &mended
}

// few is up to how many calls are compared pairwise; more need a set.
const few = 16

func areDistinct(calls []chat.ToolCall) bool {
	if len(calls) > few {
		seen := make(map[string]bool, len(calls))
		for i := range calls {
			seen[calls[i].ID] = true
		}
		return len(seen) == len(calls) && !seen[""]
	}
	for i := range calls {
		if calls[i].ID == "" {
			return false
		}
		for j := range i {
			if calls[j].ID == calls[i].ID {
				return false
			}
		}
	}
	return true
}

// distinctCalls gives an ID to the calls that have none, or that of a call before.
func distinctCalls(calls []chat.ToolCall) []chat.ToolCall {
	calls = slices.Clone(calls)
	taken := make(map[string]bool, len(calls))
	for i := range calls {
		taken[calls[i].ID] = true
	}
	seen := make(map[string]bool, len(calls))
	next := 0
	for i := range calls {
		id := calls[i].ID
		for id == "" || seen[id] || id != calls[i].ID && taken[id] {
			next++
			id = "call_" + strconv.Itoa(next)
		}
		seen[id], calls[i].ID = true, id
	}
	return calls
}
