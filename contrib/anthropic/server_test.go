package anthropic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
)

const key = "sk-ant-secret-key"

// A server speaks the Messages API as the vendor publishes it. What a request has that the
// API would refuse, or that a client ought not to send, fails the test.
type server struct {
	*httptest.Server
	t       *testing.T
	replies []handler // one a request; the last one repeats

	mu    sync.Mutex
	calls []*call
}

// A call is a request as the server has it.
type call struct {
	Model       string          `json:"model"`
	MaxTokens   int             `json:"max_tokens"`
	Messages    []turn          `json:"messages"`
	System      []textBlock     `json:"system"`
	Tools       []tool          `json:"tools"`
	ToolChoice  *toolChoice     `json:"tool_choice"`
	Temperature *float64        `json:"temperature"`
	Thinking    *thinkingConfig `json:"thinking"`
	Output      *outputConfig   `json:"output_config"`
	Stream      bool            `json:"stream"`

	request *http.Request
}

// A handler answers a request.
type handler func(w http.ResponseWriter, c *call)

type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type textBlock struct {
	Type  string        `json:"type"`
	Text  string        `json:"text"`
	Cache *cacheControl `json:"cache_control"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
	One  bool   `json:"disable_parallel_tool_use"`
}

type thinkingConfig struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens"`
	Display string `json:"display"`
}

type outputConfig struct {
	Effort string `json:"effort"`
	Format *struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

// A block is a piece of content, of whichever type.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Content   []block         `json:"content,omitempty"`
	Title     string          `json:"title,omitempty"`
	Source    *source         `json:"source,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

// blockFields says which fields a block of a type has, besides the type; those with a star
// may be absent.
var blockFields = map[string]string{
	"text": "text", "thinking": "thinking signature", "redacted_thinking": "data",
	"tool_use": "id name input", "tool_result": "tool_use_id content* is_error*",
	"image": "source", "document": "source title*",
	"server_tool_use": "id name input", "web_search_tool_result": "tool_use_id content",
}

// sources says which types a source may be of, and what else it has then.
var sources = map[string]map[string]string{
	"image": {"base64": "media_type data", "url": "url"},
	"document": {
		"base64": "media_type data", "url": "url", "text": "media_type data",
	},
}

func serve(t *testing.T, replies ...handler) *server {
	t.Helper()
	s := &server{t: t, replies: replies}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

// model returns a model that talks to the server.
func (s *server) model(opts ...anthropic.Option) *anthropic.Model {
	s.t.Helper()
	m, err := anthropic.New("claude-test", append([]anthropic.Option{anthropic.Key(key), anthropic.BaseURL(s.URL)}, opts...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// last returns the last request.
func (s *server) last() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		s.t.Fatal("no request came")
	}
	return s.calls[len(s.calls)-1]
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("the request breaks off: %v", err)
	}
	c, err := read(r, body)
	if err != nil {
		s.t.Errorf("the API would not take the request: %v\n%s", err, body)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	reply := s.replies[min(len(s.calls), len(s.replies)-1)]
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	reply(w, c)
}

// read reads a request as strictly as can be.
func read(r *http.Request, body []byte) (*call, error) {
	var c call
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return nil, err
	}
	c.request = r
	forced := c.ToolChoice != nil && (c.ToolChoice.Type == "any" || c.ToolChoice.Type == "tool")
	thinks := c.Thinking != nil && c.Thinking.Type != "disabled"
	marks := 0
	for _, b := range c.System {
		marks += marked(b.Cache)
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
			return nil, errors.New("a block of the system prompt has no text")
		}
	}
	for _, t := range c.Tools {
		marks += marked(t.Cache)
		var schema struct{ Type string }
		if err := json.Unmarshal(t.Schema, &schema); err != nil || schema.Type != "object" || t.Name == "" {
			return nil, fmt.Errorf("the tool %q has no name, or no schema of an object", t.Name)
		}
	}
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{r.Method != http.MethodPost || r.URL.Path != "/v1/messages", r.Method + " " + r.URL.Path},
		{r.Header.Get("X-Api-Key") == "" && r.Header.Get("Authorization") == "" && r.Header.Get("X-Keyless") == "", "no key"},
		{r.Header.Get("Anthropic-Version") != "2023-06-01", "no version"},
		{r.Header.Get("Content-Type") != "application/json", "no type of the content"},
		{r.Header.Get("X-Stainless-Retry-Count") != "0", "it is a retry"},
		{c.Model == "" || c.MaxTokens < 1, "no model, or no max_tokens"},
		{c.Thinking != nil && c.Thinking.Type == "enabled" && (c.Thinking.Budget < 1024 || c.Thinking.Budget >= c.MaxTokens), "the budget of thinking"},
		{c.Thinking != nil && c.Thinking.Type != "enabled" && c.Thinking.Budget != 0, "a budget for none"},
		{thinks && forced, "thinking with a tool that is forced"},
		{c.Thinking != nil && c.Thinking.Type == "enabled" && callsWithoutThought(c.Messages), "a turn that has to begin with a thought"},
		{c.ToolChoice != nil && len(c.Tools) == 0, "a choice among no tools"},
		{c.ToolChoice != nil && !slices.Contains([]string{"auto", "any", "tool", "none"}, c.ToolChoice.Type), "an unknown choice"},
		{c.ToolChoice != nil && (c.ToolChoice.Type == "tool") != (c.ToolChoice.Name != ""), "the name of a choice"},
		{marks > 4, "more than four marks for the cache"},
	} {
		if rule.broken {
			return nil, errors.New(rule.says)
		}
	}
	if c.Output != nil && c.Output.Format != nil {
		if c.Output.Format.Type != "json_schema" {
			return nil, errors.New("an unknown format of output")
		}
		if err := strict(c.Output.Format.Schema); err != nil {
			return nil, err
		}
	}
	return &c, turnsAreRight(c.Messages)
}

// callsWithoutThought reports what the API refuses together with a budget of thinking.
func callsWithoutThought(turns []turn) bool {
	n := len(turns)
	return n > 1 && turns[n-1].Content[0].Type == "tool_result" && !strings.HasSuffix(turns[n-2].Content[0].Type, "thinking")
}

func marked(c *cacheControl) int {
	if c == nil {
		return 0
	}
	if c.Type != "ephemeral" {
		return 100
	}
	return 1
}

var callIDs = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// turnsAreRight holds the rules about the order of things.
func turnsAreRight(turns []turn) error {
	if len(turns) == 0 {
		return errors.New("no messages")
	}
	var open []string // calls of the turn before
	for i, t := range turns {
		if t.Role != "user" && t.Role != "assistant" || i > 0 && turns[i-1].Role == t.Role || len(t.Content) == 0 {
			return fmt.Errorf("messages.%d: the role %q, or no content", i, t.Role)
		}
		var asked, answered []string
		for j, b := range t.Content {
			if err := blockIsRight(b, t.Role); err != nil {
				return fmt.Errorf("messages.%d.content.%d: %w", i, j, err)
			}
			switch b.Type {
			case "tool_use":
				asked = append(asked, b.ID)
			case "tool_result":
				if j != len(answered) {
					return fmt.Errorf("messages.%d.content.%d: results have to come first", i, j)
				}
				answered = append(answered, b.ToolUseID)
			}
		}
		if slices.Sort(open); t.Role == "user" {
			if slices.Sort(answered); !slices.Equal(open, answered) {
				return fmt.Errorf("messages.%d: the calls %v have the results %v", i, open, answered)
			}
		}
		open = asked
	}
	return nil
}

func blockIsRight(b block, role string) error {
	if err := fieldsAreRight(b, blockFields[b.Type]); err != nil {
		return err
	}
	users := b.Type == "tool_result" || b.Type == "image" || b.Type == "document"
	assistants := b.Type != "text" && !users
	switch {
	case b.Type == "text" && strings.TrimSpace(b.Text) == "":
		return errors.New("a text without text")
	case role == "user" && assistants || role == "assistant" && users:
		return fmt.Errorf("%s in a message of the %s", b.Type, role)
	case b.Type == "tool_use" && (!callIDs.MatchString(b.ID) || !bytes.HasPrefix(b.Input, []byte("{"))):
		return errors.New("a call with a wrong ID or input")
	case b.Type == "tool_result" && !callIDs.MatchString(b.ToolUseID):
		return errors.New("a result with a wrong ID")
	case b.Type == "tool_result" && b.IsError && len(b.Content) == 0:
		return errors.New("an error that says nothing")
	}
	if b.Source != nil {
		fields, ok := sources[b.Type][b.Source.Type]
		if !ok {
			return fmt.Errorf("%s from %s", b.Type, b.Source.Type)
		}
		return fieldsAreRight(b.Source, "type "+fields)
	}
	if b.Type == "tool_result" {
		for _, inner := range b.Content {
			if inner.Type != "text" && inner.Type != "image" && inner.Type != "document" {
				return fmt.Errorf("%s in a result", inner.Type)
			}
			if err := blockIsRight(inner, "user"); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldsAreRight reports fields that are not there, or should not be.
func fieldsAreRight(v any, fields string) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var has map[string]json.RawMessage
	if err := json.Unmarshal(text, &has); err != nil {
		return err
	}
	if fields == "" {
		return fmt.Errorf("of an unknown type: %s", text)
	}
	delete(has, "type")
	for _, f := range strings.Fields(fields) {
		name, optional := strings.CutSuffix(f, "*")
		if _, ok := has[name]; !ok && !optional && name != "type" {
			return fmt.Errorf("%s is absent: %s", name, text)
		}
		delete(has, name)
	}
	if len(has) > 0 {
		return fmt.Errorf("fields too many: %s", text)
	}
	return nil
}

// strict holds what the vendor's structured output accepts of JSON Schema.
func strict(schema json.RawMessage) error {
	var s struct {
		Ref        string                     `json:"$ref"`
		Defs       map[string]json.RawMessage `json:"$defs"`
		Type       any                        `json:"type"`
		Title      string                     `json:"title"`
		Doc        string                     `json:"description"`
		Enum       []any                      `json:"enum"`
		Const      any                        `json:"const"`
		Default    any                        `json:"default"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional *bool                      `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
		MinItems   int                        `json:"minItems"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		AllOf      []json.RawMessage          `json:"allOf"`
		Format     string                     `json:"format"`
	}
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if strings.Contains(fmt.Sprint(s.Type), "object") && (s.Additional == nil || *s.Additional) {
		return errors.New("schema: an object that is open")
	}
	if s.MinItems > 1 {
		return errors.New("schema: minItems")
	}
	inner := slices.Concat(s.AnyOf, s.AllOf)
	for _, p := range s.Properties {
		inner = append(inner, p)
	}
	for _, d := range s.Defs {
		inner = append(inner, d)
	}
	if s.Items != nil {
		inner = append(inner, s.Items)
	}
	for _, i := range inner {
		if err := strict(i); err != nil {
			return err
		}
	}
	return nil
}

// ask makes a call with a question in it.
func ask(ctx context.Context, m *anthropic.Model, stream func(chat.Delta)) (*chat.Response, error) {
	return m.Generate(ctx, &chat.Request{Messages: []chat.Message{chat.UserText("hello")}}, stream)
}
