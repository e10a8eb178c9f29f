package openai

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/tidwall/gjson"
)

// A piece is what a whole message and a delta of a stream have in common.
type piece struct {
	content string
	refusal string
	raw     string // of the content, where it is not a text
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
	piece     int      // the number of the last piece with a fragment of it
	again     bool     // its name came again, without arguments
	guessed   bool     // a fragment of it has an index and an ID that other calls may have too
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
	c, err := a.find(f)
	switch {
	case err != nil:
		return err
	case c == nil && len(a.calls) == bounded.Calls:
		return bounded.TooManyCalls()
	case c == nil:
		c = &call{fragment: *f}
		c.name = ""
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = f.id
	}
	if c.name == "" && f.name != "" {
		c.name = f.name
		a.tell(chat.Delta{Tool: f.name, ToolID: c.id})
	}
	if f.opaque != "" {
		c.opaque = f.opaque
	}
	if c.piece > 0 {
		c.guessed = c.guessed || a.possible(f) > 1
		c.again = c.again || f.name != "" && !c.object.begun && strings.TrimSpace(f.arguments) == ""
	}
	c.piece = a.pieces
	c.arguments.WriteString(f.arguments)
	c.object.add(f.arguments)
	return nil
}

// find returns the call that a fragment belongs to; nil: it begins one. OpenAI numbers the calls, and sends ID and name
// once. Others give all calls one number or none, one ID or none, or repeat ID and name. So:
//
//   - Another index, another ID or another name is another call.
//   - The same name continues a call whose arguments have begun and not ended. If they have not begun, it continues the last
//     call; two fragments of one event that both have no arguments are two calls. If they have ended, it is another
//     call, unless the fragment has no arguments, and the call has an ID of its own.
//   - Without a name, a fragment continues the last call: calls without index and ID come one after the other. If the arguments of
//     that have ended, it is an error.
//
// README.md has the rule for people.
func (a *answer) find(f *fragment) (*call, error) {
	blank := strings.TrimSpace(f.arguments) == ""
	last := true // of the calls that it may be of
	for i, c := range slices.Backward(a.calls) {
		if !f.mayBe(c) {
			continue
		}
		switch {
		case f.name != "" && c.name != "" && f.name != c.name, c.object.ended && !blank:
		case f.name != "" && c.name != "" && blank && a.comesAgain(f, i):
		case last, c.object.begun && !c.object.ended && f.name != "":
			return c, nil
		case f.name != "" && f.name == c.name && !c.object.begun:
			if c.id == "" || f.id != "" || a.possible(f) > 1 {
				return nil, unclear()
			}
			return c, nil // another call would have an ID
		}
		last = false
	}
	if f.name != "" || !slices.ContainsFunc(a.calls, f.mayBe) {
		return nil, nil
	}
	return nil, unclear()
}

// possible counts the calls that a fragment may belong to, of the tool if it names one.
func (a *answer) possible(f *fragment) (calls int) {
	for _, c := range a.calls {
		if (f.name == "" || c.name == f.name) && f.mayBe(c) {
			calls++
		}
	}
	return calls
}

// isUnclear reports whether the call may be several calls, or may have the arguments of another.
func (c *call) isUnclear() bool {
	arguments := strings.TrimSpace(c.arguments.String())
	return c.again && arguments == "" && c.id == "" || (c.again || c.guessed) && arguments != "" && !gjson.Valid(arguments)
}

func unclear() error {
	return &chat.ModelError{Kind: chat.Malformed, Message: "a piece of a tool call has nothing that shows to which call it belongs"}
}

// comesAgain reports whether a fragment without arguments, which may be of the call of that number, begins another call of the
// same tool.
func (a *answer) comesAgain(f *fragment, number int) bool {
	c, last := a.calls[number], len(a.calls)-1
	if !c.object.ended {
		return !c.object.begun && c.piece == a.pieces
	}
	return c.id == "" || number < last && f.mayBe(a.calls[last])
}

// mayBe reports whether neither index nor ID shows that the fragment is of another call.
func (f *fragment) mayBe(c *call) bool {
	return !(f.indexed && c.indexed && f.index != c.index || f.id != "" && c.id != "" && f.id != c.id)
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
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: "there is no choice in it"}
	case refusal != "":
		return nil, &chat.ModelError{Kind: chat.Refused, Message: refusal}
	case a.finish == "content_filter":
		return nil, &chat.ModelError{Kind: chat.Refused, Message: "the provider's content filter ended the answer"}
	case slices.ContainsFunc(a.calls, (*call).isUnclear), a.halfCall() && slices.ContainsFunc(a.calls, func(c *call) bool { return c.guessed }):
		return nil, unclear()
	case slices.Contains(breaks, a.finish):
		err := errors.New("the provider broke the answer off, for the reason " + strconv.Quote(a.finish))
		return nil, &chat.ModelError{Kind: chat.Unreachable, Err: err}
	}
	r := &chat.Response{
		Message: chat.Message{
			Role: chat.RoleAssistant, Text: a.text.String(), Reasoning: a.thought.reasoning(), Calls: a.toolCalls(req),
		},
		Finish: chat.Stop, Usage: a.usage, Model: a.model, ID: a.id,
	}
	switch cut := slices.Contains(lengths, a.finish); {
	case r.Message.Text == "" && len(r.Message.Calls) == 0 && a.finish != "" && !cut && !slices.Contains(finishes, a.finish):
		err := errors.New("the provider ended the answer without content, for the reason " + strconv.Quote(a.finish))
		return nil, &chat.ModelError{Kind: chat.Unreachable, Err: err}
	case cut:
		r.Finish = chat.Length
	case len(r.Message.Calls) > 0: // whatever finish reason the server sends
		r.Finish = chat.ToolCalls
	}
	return r, nil
}

// spent returns what an answer that is an error has used, nil if that is not known.
func (a *answer) spent() *chat.Response {
	if a.usage == (chat.Usage{}) {
		return nil
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: a.usage, Model: a.model, ID: a.id}
}

// The reasons with which answers end. Servers have others, too.
var (
	// lengths are the reasons of answers that are cut: at the limit of their tokens, or, by Mistral, at the most that the model takes.
	lengths = []string{"length", "model_length"}
	// breaks are the reasons of servers that give an answer up: of DeepSeek where it has no room for it, and of vLLM and SGLang.
	breaks = []string{"error", "insufficient_system_resource", "abort", "aborted"}
	// finishes are the reasons of whole answers, which may have no content.
	finishes = []string{"stop", "tool_calls", "function_call"}
)

// halfCall reports whether the arguments of a call have begun and not ended.
func (a *answer) halfCall() bool {
	return slices.ContainsFunc(a.calls, func(c *call) bool { return c.object.begun && !c.object.ended })
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
