package openai

import (
	"encoding/json"
	"net/http"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A chatRequest is a request for a chat completion. What is for models alone, such as a temperature, is not among it: the graph has its own.
type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Stream   bool          `json:"stream"`
	N        *int          `json:"n"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Format struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Metadata map[string]string `json:"metadata"`
}

// A chatMessage is a message of a chat completion.
type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Call      string          `json:"tool_call_id"`
	ToolCalls []toolCall      `json:"tool_calls"`
}

// A toolCall is a call of a function.
type toolCall struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// chat answers a request for a chat completion: with a run, or with what follows in one when functions have their outputs.
func (w *wire) chat(c *serve.Call) error {
	var r chatRequest
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	if err := c.OpenGraph(r.Model); err != nil {
		return modelProblem(err)
	}
	switch {
	case r.N != nil && *r.N != 1:
		return speech.Invalid("n", "A graph gives one choice.")
	case r.Format.Type != "" && r.Format.Type != "text":
		return speech.Invalid("response_format", "The graph has the form of its output.")
	case len(r.Messages) == 0:
		return speech.Invalid("messages", "There is no message.")
	}
	x, err := w.begin(c, &r)
	if err != nil {
		return err
	}
	if r.Stream {
		return w.chatStream(c, x, &r)
	}
	end, err := x.Wait()
	if err != nil {
		return err
	}
	if p := problem(end); p != nil {
		return p
	}
	return reply(c, completion(c, x, &r, end))
}

// modelProblem returns an error about the name of a model.
func modelProblem(err error) error {
	if serve.IsNotFound(err) {
		return &serve.Problem{Status: http.StatusNotFound, Code: "model_not_found", Field: "model", Detail: "No graph is served under that name."}
	}
	return err
}

// begin starts a run, or continues one.
func (w *wire) begin(c *serve.Call, r *chatRequest) (*serve.Exchange, error) {
	var outputs []output
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role == "tool"; i-- {
		text, err := textOf(r.Messages[i].Content, speech.Index("messages", i)+".content")
		if err != nil {
			return nil, err
		}
		outputs = append([]output{{r.Messages[i].Call, text}}, outputs...)
	}
	if len(outputs) > 0 {
		return w.answers(c, outputs, r.Stream)
	}
	var list []chat.Message
	for i := range r.Messages {
		m := &r.Messages[i]
		of := chat.Message{Role: roles[m.Role], Call: m.Call}
		if m.Role == "tool" {
			of.Role = chat.RoleTool
		}
		if of.Role == 0 {
			return nil, speech.Invalid(speech.Index("messages", i)+".role", "It is user, assistant, tool, system or developer.")
		}
		for _, call := range m.ToolCalls {
			of.Calls = append(of.Calls, chat.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
		}
		if err := speech.Content(&of, m.Content, speech.Index("messages", i)+".content"); err != nil {
			return nil, err
		}
		list = append(list, of)
	}
	turns, err := speech.Conversation(list)
	if err != nil {
		return nil, err
	}
	return c.Start(serve.Beginning{Thread: r.Metadata["thread"], Conversation: turns, Stream: r.Stream, Leave: w.StopOnDisconnect})
}

// A chatCompletion is the answer to a request for one.
type chatCompletion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index   int      `json:"index"`
	Message *spoken  `json:"message,omitempty"`
	Delta   *spoken  `json:"delta,omitempty"`
	Logprob *float64 `json:"logprobs"`
	Finish  *string  `json:"finish_reason"`
}

// Spoken is a message, or a piece of it.
type spoken struct {
	Role    string     `json:"role,omitempty"`
	Content *string    `json:"content,omitempty"`
	Refusal *string    `json:"refusal,omitempty"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func usageOf(u *chat.Usage) *usage {
	if u == nil {
		return nil
	}
	return &usage{u.Input, u.Output, u.Input + u.Output}
}

// blank returns a completion without choices.
func blank(c *serve.Call, x *serve.Exchange, r *chatRequest, object string) chatCompletion {
	id := x.Run()
	if id == "" {
		id = "plain"
	}
	return chatCompletion{ID: "chatcmpl-" + id, Object: object, Created: c.Now().Unix(), Model: r.Model, Choices: []choice{}}
}

// completion returns how a run has ended.
func completion(c *serve.Call, x *serve.Exchange, r *chatRequest, end *serve.End) chatCompletion {
	answer := blank(c, x, r, "chat.completion")
	answer.Usage = usageOf(end.Usage)
	finish, message := "stop", spoken{Role: "assistant"}
	if end.Text != "" || len(end.Requests) == 0 {
		message.Content = &end.Text
	}
	if message.Calls = calls(c, x.Run(), end.Requests); len(message.Calls) > 0 {
		finish = "tool_calls"
	}
	answer.Choices = append(answer.Choices, choice{Message: &message, Finish: &finish})
	return answer
}

// calls returns requests as calls of functions.
func calls(c *serve.Call, run string, requests []graphgen.Request) (list []toolCall) {
	for i := range requests {
		q := &requests[i]
		id := speech.Call{Thread: c.Thread(), Run: run, Request: q.ID}.String()
		list = append(list, toolCall{ID: id, Type: "function", Function: function{speech.Tool(q), string(speech.Arguments(q))}})
	}
	return list
}

// chatStream answers with the pieces of a completion.
func (w *wire) chatStream(c *serve.Call, x *serve.Exchange, r *chatRequest) error {
	s := &chatWriter{call: c, blank: blank(c, x, r, "chat.completion.chunk"), run: x.Run(), usage: r.Options.Usage}
	return x.Events(func(to *serve.Stream) serve.Listener {
		s.to = to
		s.speech = speech.Texts{Call: c, Voice: s, Mute: true}
		return serve.Listener{Begin: s.begin, Live: s.speech.Live, End: s.end}
	})
}

// A chatWriter writes the pieces of a completion.
type chatWriter struct {
	call   *serve.Call
	to     *serve.Stream
	speech speech.Texts
	blank  chatCompletion
	run    string
	usage  bool
	texts  int
}

func (s *chatWriter) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		s.call.Report(err)
		return err
	}
	return s.to.Send("", "", data)
}

func (s *chatWriter) delta(d spoken, finish string) error {
	chunk := s.blank
	of := choice{Delta: &d}
	if finish != "" {
		of.Finish = &finish
	}
	chunk.Choices = []choice{of}
	return s.send(chunk)
}

// begin opens the message.
func (s *chatWriter) begin() error {
	return s.delta(spoken{Role: "assistant", Content: new(string)}, "")
}

// Open, Piece, Close and Void write a text. The content of a message is one text: what does not count cannot be taken back.
func (s *chatWriter) Open(string) error {
	if s.texts++; s.texts == 1 {
		return nil
	}
	return s.Piece("", "\n\n")
}

func (s *chatWriter) Piece(_, text string) error { return s.delta(spoken{Content: &text}, "") }
func (s *chatWriter) Close(string) error         { return nil }
func (s *chatWriter) Void(string) error          { return nil }

// end writes how the run has ended.
func (s *chatWriter) end(e *serve.End) error {
	if p := problem(e); p != nil {
		return s.send(struct {
			Error fault `json:"error"`
		}{faultOf(p)})
	}
	if err := s.speech.End(e); err != nil {
		return err
	}
	finish := "stop"
	if list := calls(s.call, s.run, e.Requests); len(list) > 0 {
		finish = "tool_calls"
		for i := range list {
			list[i].Index = &i
		}
		if err := s.delta(spoken{Calls: list}, ""); err != nil {
			return err
		}
	}
	if err := s.delta(spoken{}, finish); err != nil {
		return err
	}
	if s.usage {
		chunk := s.blank
		if chunk.Usage = usageOf(e.Usage); chunk.Usage == nil {
			chunk.Usage = new(usage)
		}
		if err := s.send(chunk); err != nil {
			return err
		}
	}
	return s.to.Send("", "", []byte("[DONE]"))
}
