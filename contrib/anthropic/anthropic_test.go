package anthropic_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
)

// counted is the usage of replies that say nothing else.
var counted = chat.Usage{Input: 10, Output: 7}

func TestWholeAndStreamedAnswer(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  reply
		want   chat.Response
		deltas chat.Delta // all of them together
	}{
		{
			name:   "text",
			reply:  reply{blocks: []block{said("Sea otters, river otters, größte.")}, stop: "end_turn"},
			want:   chat.Response{Message: chat.Message{Text: "Sea otters, river otters, größte."}, Finish: chat.Stop, Usage: counted},
			deltas: chat.Delta{Text: "Sea otters, river otters, größte."},
		},
		{
			name:  "nothing at all",
			reply: reply{stop: "end_turn"},
			want:  chat.Response{Finish: chat.Stop, Usage: counted},
		},
		{
			name:  "a call of a tool without arguments",
			reply: reply{blocks: []block{said("I look."), called("toolu_1", "now", "{}")}, stop: "tool_use"},
			want: chat.Response{Message: chat.Message{Text: "I look.", Calls: []chat.ToolCall{{ID: "toolu_1", Name: "now", Arguments: "{}"}}},
				Finish: chat.ToolCalls, Usage: counted},
			deltas: chat.Delta{Text: "I look.", Tool: "now "},
		},
		{
			name: "parallel calls, whose arguments come interleaved",
			reply: reply{blocks: []block{
				called("toolu_1", "search", `{"query":"otters","limit":5}`), called("toolu_2", "search", `{"query":"seals"}`),
			}, stop: "tool_use"},
			want: chat.Response{Message: chat.Message{Calls: []chat.ToolCall{
				{ID: "toolu_1", Name: "search", Arguments: `{"query":"otters","limit":5}`},
				{ID: "toolu_2", Name: "search", Arguments: `{"query":"seals"}`},
			}}, Finish: chat.ToolCalls, Usage: counted},
			deltas: chat.Delta{Tool: "search search "},
		},
		{
			name: "thoughts, one of which nobody may read",
			reply: reply{
				blocks: []block{thought("Hmm, otters.", "c2ln"), hidden("ZW5j"), said("Otters.")}, stop: "end_turn",
				usage: map[string]any{"output_tokens_details": map[string]any{"thinking_tokens": 4}},
			},
			want: chat.Response{Message: chat.Message{Text: "Otters.", Reasoning: []chat.Reasoning{
				{Text: "Hmm, otters.", Opaque: "anthropic:0.0:c2ln"}, {Opaque: "anthropic:0.0:ZW5j", Hidden: true},
			}}, Finish: chat.Stop, Usage: chat.Usage{Input: 10, Output: 7, Reasoning: 4}},
			deltas: chat.Delta{Text: "Otters.", Reasoning: "Hmm, otters."},
		},
		{
			name: "an answer that the cache has to do with",
			reply: reply{blocks: []block{said("Yes.")}, stop: "end_turn", usage: map[string]any{
				"cache_read_input_tokens": 2000, "cache_creation_input_tokens": 300,
			}},
			want: chat.Response{Message: chat.Message{Text: "Yes."}, Finish: chat.Stop,
				Usage: chat.Usage{Input: 2310, Output: 7, CacheRead: 2000, CacheWrite: 300}},
			deltas: chat.Delta{Text: "Yes."},
		},
		{
			name:   "an answer cut off by max_tokens",
			reply:  reply{blocks: []block{said("Otters are")}, stop: "max_tokens"},
			want:   chat.Response{Message: chat.Message{Text: "Otters are"}, Finish: chat.Length, Usage: counted},
			deltas: chat.Delta{Text: "Otters are"},
		},
		{
			name:   "an answer that fills the context",
			reply:  reply{blocks: []block{said("Otters are")}, stop: "model_context_window_exceeded"},
			want:   chat.Response{Message: chat.Message{Text: "Otters are"}, Finish: chat.Length, Usage: counted},
			deltas: chat.Delta{Text: "Otters are"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Message.Role, c.want.Model, c.want.ID = chat.RoleAssistant, "claude-test-20260101", "msg_1"
			s := serve(t, c.reply.either)
			whole, err := ask(t.Context(), s.model(), nil)
			if err != nil || !reflect.DeepEqual(*whole, c.want) {
				t.Errorf("whole:\n got %+v, %v\nwant %+v", whole, err, c.want)
			}
			var told chat.Delta
			streamed, err := ask(t.Context(), s.model(), func(d chat.Delta) {
				told.Text += d.Text
				told.Reasoning += d.Reasoning
				if d.Tool != "" {
					told.Tool += d.Tool + " "
				}
			})
			if err != nil || !reflect.DeepEqual(*streamed, c.want) {
				t.Errorf("streamed:\n got %+v, %v\nwant %+v", streamed, err, c.want)
			}
			if !s.last().Stream || told != c.deltas {
				t.Errorf("told %+v, want %+v", told, c.deltas)
			}
		})
	}
}

func TestArgumentsVerbatim(t *testing.T) {
	s := serve(t, reply{blocks: []block{called("toolu_1", "search", `{"query": "ott`)}, stop: "max_tokens"}.streamed)
	r, err := ask(t.Context(), s.model(), func(chat.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Message.Calls[0].Arguments; got != `{"query": "ott` || r.Finish != chat.Length {
		t.Errorf("got %q, %s", got, r.Finish)
	}
}

// TestACallThatIsCutBeforeItsArguments holds that the last call of an answer that is cut has no arguments where none came, rather than
// an empty object: it must not be run.
func TestACallThatIsCutBeforeItsArguments(t *testing.T) {
	first, cut := called("toolu_1", "now", "{}"), called("toolu_2", "search", "{}")
	for _, stop := range []string{"max_tokens", "model_context_window_exceeded"} {
		for name, c := range map[string]struct {
			blocks []block
			want   []string // the arguments of the calls
		}{
			"the call is the last block":          {[]block{said("I look."), first, cut}, []string{"{}", ""}},
			"arguments have begun":                {[]block{called("toolu_1", "search", `{"query":"ott"}`)}, []string{`{"query":"ott"}`}},
			"a text that is cut follows the call": {[]block{first, said("I am")}, []string{"{}"}},
		} {
			s := serve(t, reply{blocks: c.blocks, stop: stop}.either)
			for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
				r, err := ask(t.Context(), s.model(), stream)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, call := range r.Message.Calls {
					got = append(got, call.Arguments)
				}
				if r.Finish != chat.Length || !slices.Equal(got, c.want) {
					t.Errorf("%s, %s: got %q, %s; want %q", stop, name, got, r.Finish, c.want)
				}
			}
		}
	}
}

func TestLongAnswerIsStreamed(t *testing.T) {
	s := serve(t, reply{blocks: []block{said("Yes.")}, stop: "end_turn"}.either)
	r, err := ask(t.Context(), s.model(anthropic.MaxTokens(64000)), nil)
	if err != nil || r.Message.Text != "Yes." {
		t.Fatalf("got %+v, %v", r, err)
	}
	if c := s.last(); !c.Stream || c.MaxTokens != 64000 {
		t.Errorf("stream is %t, max_tokens %d", c.Stream, c.MaxTokens)
	}
}

func TestAPausedTurnIsContinued(t *testing.T) {
	found := block{Type: "web_search_tool_result", ToolUseID: "srvtoolu_1", Content: []block{{Type: "text", Text: "found"}}}
	search := block{Type: "server_tool_use", ID: "srvtoolu_1", Name: "web_search", Input: []byte(`{"query":"otters"}`)}
	first := reply{blocks: []block{thought("I look.", "c2ln"), said("Let me see. "), search, found}, stop: "pause_turn"}
	second := reply{blocks: []block{said("Otters.")}, stop: "end_turn"}
	for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
		s := serve(t, first.either, second.either)
		r, err := ask(t.Context(), s.model(), stream)
		if err != nil {
			t.Fatal(err)
		}
		if r.Message.Text != "Let me see. Otters." || len(r.Message.Reasoning) != 1 || r.Usage.Input != 20 || r.Finish != chat.Stop {
			t.Errorf("got %+v", r)
		}
		turns := s.last().Messages
		if len(turns) != 2 || turns[1].Role != "assistant" || len(turns[1].Content) != 4 {
			t.Fatalf("the turn went on after %+v", turns)
		}
		if got := turns[1].Content[2]; string(got.Input) != string(search.Input) || got.ID != search.ID {
			t.Errorf("the search was sent back as %+v", got)
		}
	}
	s := serve(t, first.either)
	if _, err := ask(t.Context(), s.model(), nil); err == nil || !strings.Contains(err.Error(), "paused more than 8 times") {
		t.Errorf("a turn that pauses for ever: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, c *call) {
		reply{blocks: []block{said("echo " + c.Messages[0].Content[0].Text)}, stop: "end_turn"}.either(w, c)
	})
	m := s.model()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			var stream func(chat.Delta)
			if i%2 == 0 {
				stream = func(chat.Delta) {}
			}
			question := fmt.Sprint("question ", i)
			r, err := m.Generate(context.Background(), &chat.Request{Messages: []chat.Message{chat.UserText(question)}}, stream)
			if err != nil || r.Message.Text != "echo "+question {
				t.Errorf("%s: got %+v, %v", question, r, err)
			}
		})
	}
	wg.Wait()
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name  string
		model string
		env   map[string]string
		opts  []anthropic.Option
		says  string // the error
	}{
		{name: "the key of the environment", env: map[string]string{"ANTHROPIC_API_KEY": key}},
		{name: "the token of the environment", env: map[string]string{"ANTHROPIC_AUTH_TOKEN": key}},
		{name: "no key", says: "anthropic: no key: set ANTHROPIC_API_KEY, or give the option Key (an empty one for a server that needs none)"},
		{name: "no key where none is needed", opts: []anthropic.Option{anthropic.Key("")}},
		{name: "no name", model: "-", says: "anthropic: the name of the model is empty"},
		{name: "a key with a line break in it", opts: []anthropic.Option{anthropic.Key("sk\nsecret")},
			says: "anthropic: the key has characters that no header can hold"},
		{name: "a key that ends in a line break", env: map[string]string{"ANTHROPIC_API_KEY": key + "\n"}},
		{name: "a base URL without a scheme", opts: []anthropic.Option{anthropic.Key(key), anthropic.BaseURL("localhost:8080")},
			says: "anthropic: the base URL is not a URL of http or https"},
		{name: "a wrong base URL in the environment", env: map[string]string{"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": "://"},
			says: "anthropic: the base URL is not a URL of http or https"},
		{name: "answers of no length", opts: []anthropic.Option{anthropic.Key(key), anthropic.MaxTokens(0)},
			says: "anthropic: MaxTokens is 0, and must be at least 1"},
		{name: "too little to think", opts: []anthropic.Option{anthropic.Key(key), anthropic.ThinkingBudget(100)},
			says: "anthropic: ThinkingBudget is 100, and must be at least 1024"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"} {
				t.Setenv(name, c.env[name])
			}
			name := "claude-test"
			if c.model == "-" {
				name = ""
			}
			m, err := anthropic.New(name, c.opts...)
			if got := fmt.Sprint(err); err != nil && got != c.says || (err == nil) != (c.says == "") {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if text := fmt.Sprintf("%v %+v %#v", m, m, m); strings.Contains(text, key) {
				t.Errorf("a model prints its key: %s", text)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	s := serve(t, reply{blocks: []block{said("Yes.")}, stop: "end_turn"}.either)
	t.Setenv("ANTHROPIC_API_KEY", key)
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "")
	t.Setenv("ANTHROPIC_BASE_URL", s.URL)
	m, err := anthropic.New("claude-test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), m, nil); err != nil {
		t.Fatal(err)
	}
	if got := s.last().request.Header.Get("X-Api-Key"); got != key {
		t.Errorf("the key is %q", got)
	}
}

func TestATokenGoesAsABearer(t *testing.T) {
	s := serve(t, reply{blocks: []block{said("Yes.")}, stop: "end_turn"}.either)
	if _, err := ask(t.Context(), s.model(anthropic.Token("tok")), nil); err != nil {
		t.Fatal(err)
	}
	if h := s.last().request.Header; h.Get("Authorization") != "Bearer tok" || h.Get("X-Api-Key") != "" {
		t.Errorf("the headers are %v", h)
	}
}
