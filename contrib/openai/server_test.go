package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/contrib/openai"
)

const key = "sk-test-0123456789abcdef"

// A server speaks the Chat Completions API. What it is sent wrongly is a failure of the test.
type server struct {
	*httptest.Server
	t       *testing.T
	openAI  bool // it takes what OpenAI takes, and nothing else
	answers []http.HandlerFunc

	mu       sync.Mutex
	requests []string // their bodies
}

// serve starts a server of another vendor, whose answers come one after the other; the last one repeats.
func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{t: t, answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// model returns a model that calls the server by its base URL.
func (s *server) model(opts ...openai.Option) *openai.Model {
	s.t.Helper()
	m, err := openai.New("test-model", append([]openai.Option{openai.BaseURL(s.URL + "/v1"), openai.Key(key)}, opts...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// asOpenAI returns a model that calls the server as OpenAI.
func (s *server) asOpenAI(opts ...openai.Option) *openai.Model {
	s.t.Helper()
	s.openAI = true
	s.t.Setenv("OPENAI_API_KEY", key)
	s.t.Setenv("OPENAI_BASE_URL", "")
	m, err := openai.New("test-model", append([]openai.Option{openai.HTTPClient(&http.Client{Transport: elsewhere{s}})}, opts...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// elsewhere sends to the server what is meant for OpenAI.
type elsewhere struct{ *server }

func (e elsewhere) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.String() != "https://api.openai.com/v1/chat/completions" {
		return nil, fmt.Errorf("a call of %s", req.URL)
	}
	there, _ := url.Parse(e.URL)
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host, req.Host = there.Scheme, there.Host, ""
	return http.DefaultTransport.RoundTrip(req)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	for name, want := range map[string]string{"Authorization": "Bearer " + key, "Content-Type": "application/json"} {
		if got := r.Header.Get(name); got != want {
			s.t.Errorf("the header %s is %q, want %q", name, got, want)
		}
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || r.URL.RawQuery != "" {
		s.t.Errorf("%s %s", r.Method, r.URL)
	}
	if err := checkRequest(body, s.openAI); err != nil {
		s.t.Errorf("%v in\n%s", err, body)
	}
	s.mu.Lock()
	answer := s.answers[min(len(s.requests), len(s.answers)-1)]
	s.requests = append(s.requests, string(body))
	s.mu.Unlock()
	answer(w, r)
}

// whoever answers calls that have no key.
func whoever(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if got, some := r.Header["Authorization"]; some {
			t.Errorf("the header Authorization is %q", got)
		}
		whole(hello)(w, r)
	}
}

// last returns the body of the last request.
func (s *server) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		s.t.Fatal("there was no request")
	}
	return s.requests[len(s.requests)-1]
}

// whole answers with a body of JSON.
func whole(body string) http.HandlerFunc { return status(http.StatusOK, body) }

// status answers with a status, a body, and headers in pairs.
func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// events answers with a stream of events, each the data of one or, where it has a colon in front
// of its JSON, lines as they are.
func events(list ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, stream(list...))
	}
}

func stream(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		if strings.HasPrefix(e, "{") || e == "[DONE]" {
			e = "data: " + strings.ReplaceAll(e, "\n\t", "")
		}
		b.WriteString(e + "\n\n")
	}
	return b.String()
}

// The format of requests, as the API's reference has it, as far as anybody sends it here.
type wireRequest struct {
	Model             string          `json:"model"`
	Messages          []wireMessage   `json:"messages"`
	Tools             []wireTool      `json:"tools"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls"`
	ResponseFormat    *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict *bool           `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Temperature         *float64 `json:"temperature"`
	MaxCompletionTokens *int     `json:"max_completion_tokens"`
	MaxTokens           *int     `json:"max_tokens"`
	ReasoningEffort     *string  `json:"reasoning_effort"`
	PromptCacheKey      *string  `json:"prompt_cache_key"`
	Stream              *bool    `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	TopK *int `json:"top_k"` // of other servers
}

type wireMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ToolCalls        []wireCall      `json:"tool_calls"`
	ToolCallID       string          `json:"tool_call_id"`
	ReasoningContent *string         `json:"reasoning_content"` // of other servers, as the next two
	Reasoning        *string         `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"` // of other servers
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

type wirePart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url"`
	File *struct {
		FileData string `json:"file_data"`
		FileID   string `json:"file_id"`
		Filename string `json:"filename"`
	} `json:"file"`
	InputAudio *struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
}

// decode reads JSON that has no unknown fields.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// checkRequest is what a server looks at before it answers.
func checkRequest(body []byte, openAI bool) error {
	var r wireRequest
	if err := decode(body, &r); err != nil {
		return err
	}
	switch {
	case r.Model == "" || len(r.Messages) == 0:
		return fmt.Errorf("model or messages are missing")
	case openAI && (r.MaxTokens != nil || r.TopK != nil):
		return fmt.Errorf("a field that OpenAI does not take")
	case !openAI && (r.MaxCompletionTokens != nil || r.PromptCacheKey != nil):
		return fmt.Errorf("a field that only OpenAI takes")
	case (r.StreamOptions != nil) != (r.Stream != nil && *r.Stream):
		return fmt.Errorf("stream_options are for streams")
	case r.ToolChoice != nil && len(r.Tools) == 0:
		return fmt.Errorf("tool_choice is for tools")
	}
	for _, t := range r.Tools {
		if t.Type != "function" || t.Function.Name == "" {
			return fmt.Errorf("a tool is no function")
		}
		if t.Function.Strict != nil && *t.Function.Strict {
			if err := openai.CheckStrict(t.Function.Parameters); err != nil {
				return fmt.Errorf("tool %s: %w", t.Function.Name, err)
			}
		}
	}
	if f := r.ResponseFormat; f != nil {
		if f.Type != "json_schema" || f.JSONSchema.Name == "" || f.JSONSchema.Schema == nil {
			return fmt.Errorf("response_format is not complete")
		}
		if f.JSONSchema.Strict != nil && *f.JSONSchema.Strict {
			if err := openai.CheckStrict(f.JSONSchema.Schema); err != nil {
				return err
			}
		}
	}
	return checkMessages(r.Messages, openAI)
}

// checkMessages holds that tool messages answer, at once, all calls of the message before them.
func checkMessages(messages []wireMessage, openAI bool) error {
	var open []string
	for i, m := range messages {
		if len(open) > 0 && m.Role != "tool" {
			return fmt.Errorf("message %d: the calls %q have no answer", i, open)
		}
		if openAI && (m.ReasoningContent != nil || m.Reasoning != nil || m.ReasoningDetails != nil) {
			return fmt.Errorf("message %d: reasoning", i)
		}
		var text string
		isText := json.Unmarshal(m.Content, &text) == nil
		switch m.Role {
		case "system":
			if !isText {
				return fmt.Errorf("message %d: content", i)
			}
		case "tool":
			at := slices.Index(open, m.ToolCallID)
			if at < 0 || !isText {
				return fmt.Errorf("message %d answers the call %q, open are %q", i, m.ToolCallID, open)
			}
			open = slices.Delete(open, at, at+1)
		case "assistant":
			if !isText && len(m.ToolCalls) == 0 {
				return fmt.Errorf("message %d: neither content nor calls", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || c.Type != "function" || c.Function.Name == "" || openAI && c.ExtraContent != nil {
					return fmt.Errorf("message %d: call %+v", i, c)
				}
				open = append(open, c.ID)
			}
		case "user":
			if err := checkParts(m.Content); !isText && err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
		default:
			return fmt.Errorf("message %d: role %q", i, m.Role)
		}
	}
	return nil
}

func checkParts(content []byte) error {
	var parts []wirePart
	if err := decode(content, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		ok := false
		switch p.Type {
		case "text":
			ok = p.Text != ""
		case "image_url":
			ok = p.ImageURL != nil && p.ImageURL.URL != ""
		case "file":
			ok = p.File != nil && (p.File.FileID != "") != (p.File.FileData != "" && p.File.Filename != "")
		case "input_audio":
			ok = p.InputAudio != nil && p.InputAudio.Data != "" && slices.Contains([]string{"wav", "mp3"}, p.InputAudio.Format)
		}
		if !ok {
			return fmt.Errorf("part %+v", p)
		}
	}
	return nil
}
