package openai

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/contrib/bounded"
	"github.com/graphgen/graphgen/runtime/chat"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/tidwall/gjson"
)

// A piece is what a whole message and a delta of a stream have in common.
type piece struct {
	content string
	refusal string
	raw     string // of the content, where it is no text
	extra   map[string]respjson.Field
	calls   []fragment
	finish  string
}

// A fragment is a tool call, or a piece of one.
type fragment struct {
	id, name, arguments, opaque string
	index                       int64
	indexed                     bool // the server sends the index
}

// An answer gathers the pieces of a response, one or many.
type answer struct {
	stream func(chat.Delta) // may be nil

	id, model     string
	text, refusal strings.Builder
	thought       thought
	calls         []*call
	finish        string
	usage         chat.Usage
	pieces        int
}

// A call is a tool call as far as it is known.
type call struct {
	fragment
	arguments strings.Builder
	object    progress // of the arguments
}

func (a *answer) tell(d chat.Delta) {
	if a.stream != nil && d != (chat.Delta{}) {
		a.stream(d)
	}
}

// add takes in a piece. It returns an error if the answer has too many calls.
func (a *answer) add(p *piece) error {
	a.pieces++
	text, thought := p.content, ""
	if strings.HasPrefix(p.raw, "[") {
		text, thought = contentParts(p.raw)
		a.thought.text.WriteString(thought)
	}
	for _, field := range []string{fieldContent, fieldReasoning} {
		if value := gjson.Parse(fieldRaw(p.extra, field)); value.Type == gjson.String && value.Str != "" {
			// Some servers give the same text in both.
			if a.thought.field == "" {
				a.thought.field = field
			}
			if a.thought.field == field {
				thought += value.Str
				a.thought.text.WriteString(value.Str)
			}
		}
	}
	a.thought.addDetails(fieldRaw(p.extra, fieldDetails))
	a.text.WriteString(text)
	a.refusal.WriteString(p.refusal)
	a.tell(chat.Delta{Text: text, Reasoning: thought})
	for i := range p.calls {
		if err := a.addCall(&p.calls[i]); err != nil {
			return err
		}
	}
	if p.finish != "" {
		a.finish = p.finish
	}
	return nil
}

func fieldRaw(fields map[string]respjson.Field, name string) string { return fields[name].Raw() }

// contentParts reads content that is a list of parts: texts and, of Mistral's models, thoughts.
func contentParts(raw string) (text, thought string) {
	var texts, thoughts strings.Builder
	gjson.Parse(raw).ForEach(func(_, part gjson.Result) bool {
		switch part.Get("type").String() {
		case "text":
			texts.WriteString(part.Get("text").String())
		case "thinking":
			for _, t := range part.Get("thinking.#.text").Array() {
				thoughts.WriteString(t.String())
			}
		}
		return true
	})
	return texts.String(), thoughts.String()
}

// addCall takes in a tool call, or a piece of one.
func (a *answer) addCall(f *fragment) error {
	c := a.find(f)
	if c == nil && len(a.calls) == bounded.Calls {
		return bounded.TooManyCalls()
	}
	if c == nil {
		c = &call{fragment: *f}
		c.name = ""
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = f.id
	}
	if c.name == "" && f.name != "" {
		c.name = f.name
		a.tell(chat.Delta{Tool: f.name})
	}
	if f.opaque != "" {
		c.opaque = f.opaque
	}
	c.arguments.WriteString(f.arguments)
	c.object.add(f.arguments)
	return nil
}

// find returns the call that a fragment belongs to; nil: it begins one. OpenAI numbers the calls, and
// sends id and name once. Others give every call the same number or none, or repeat id and name.
func (a *answer) find(f *fragment) *call {
	for _, c := range slices.Backward(a.calls) {
		if f.indexed && c.indexed && f.index != c.index {
			continue
		}
		if f.id != "" && c.id != "" {
			if f.id == c.id {
				return c
			}
			continue
		}
		if c.id == "" && c.name != "" && f.name != "" && f.arguments != "" && c.object.ended {
			return nil // a second call of a server that gives no ids
		}
		return c
	}
	return nil
}

// A progress reads an object of JSON piece by piece, as far as it takes to know where it ends.
type progress struct {
	depth                  int
	begun, quoted, escaped bool
	ended                  bool
}

func (p *progress) add(piece string) {
	for i := 0; i < len(piece) && !p.ended; i++ {
		switch c := piece[i]; {
		case p.escaped:
			p.escaped = false
		case p.quoted:
			p.escaped, p.quoted = c == '\\', c != '"'
		case c == '"':
			p.quoted = true
		case c == '{' || c == '[':
			p.depth++
			p.begun = p.begun || c == '{'
		case c == '}' || c == ']':
			p.depth--
			p.ended = p.begun && p.depth == 0
		}
	}
}

// setUsage takes in what the server counted.
func (a *answer) setUsage(u *sdk.CompletionUsage) {
	extra := func(name string) float64 {
		f, err := strconv.ParseFloat(fieldRaw(u.JSON.ExtraFields, name), 64)
		if err != nil {
			return 0
		}
		return max(0, f)
	}
	a.usage = chat.Usage{
		Input: bounded.Tokens(u.PromptTokens), Output: bounded.Tokens(u.CompletionTokens),
		Reasoning:  bounded.Tokens(u.CompletionTokensDetails.ReasoningTokens),
		CacheRead:  bounded.Tokens(u.PromptTokensDetails.CachedTokens),
		CacheWrite: bounded.Tokens(u.PromptTokensDetails.CacheWriteTokens),
		Cost:       extra("cost"), // of OpenRouter
	}
	if a.usage.CacheRead == 0 {
		a.usage.CacheRead = bounded.Tokens(int64(min(extra("prompt_cache_hit_tokens"), math.MaxInt32))) // of DeepSeek
	}
}

// response returns the whole answer to a request.
func (a *answer) response(req *chat.Request) (*chat.Response, error) {
	switch refusal := a.refusal.String(); {
	case a.pieces == 0:
		return nil, &chat.MalformedError{What: "there is no choice in it"}
	case refusal != "":
		return nil, &chat.RefusedError{Reason: refusal}
	case a.finish == "content_filter":
		return nil, &chat.RefusedError{Reason: "the provider's content filter ended the answer"}
	case a.finish == "error":
		return nil, &chat.TransportError{Err: errors.New("the provider ended the answer with an error")}
	}
	r := &chat.Response{
		Message: chat.Message{
			Role: chat.RoleAssistant, Text: a.text.String(), Reasoning: a.thought.reasoning(), Calls: a.toolCalls(req),
		},
		Finish: chat.Stop, Usage: a.usage, Model: a.model, ID: a.id,
	}
	switch {
	case a.finish == "length":
		r.Finish = chat.Length
	case len(r.Message.Calls) > 0: // whatever finish reason the server sends
		r.Finish = chat.ToolCalls
	}
	return r, nil
}

// toolCalls returns the calls in their order, each with an ID of its own.
func (a *answer) toolCalls(req *chat.Request) (list []chat.ToolCall) {
	slices.SortStableFunc(a.calls, func(x, y *call) int { return cmp.Compare(x.index, y.index) })
	used := map[string]bool{}
	for i := range req.Messages {
		for _, c := range req.Messages[i].Calls {
			used[c.ID] = true
		}
	}
	earlier := len(used)
	for i, c := range a.calls {
		id := c.id
		for n := earlier + i + 1; id == "" || used[id]; n++ {
			id = "call_" + strconv.Itoa(n)
		}
		used[id] = true
		list = append(list, chat.ToolCall{ID: id, Name: c.name, Arguments: c.arguments.String(), Opaque: c.opaque})
	}
	return list
}
