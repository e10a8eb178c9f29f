package openai

import (
	"strconv"

	"github.com/graphgen/graphgen/contrib/serve"
)

// A response is what is made of a request.
type response struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	Created      int64             `json:"created_at"`
	Status       string            `json:"status"`
	Error        *responseFault    `json:"error"`
	Incomplete   *struct{}         `json:"incomplete_details"`
	Instructions *string           `json:"instructions"`
	Metadata     map[string]string `json:"metadata"`
	Model        string            `json:"model"`
	Output       []any             `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Temperature  *float64          `json:"temperature"`
	TopP         *float64          `json:"top_p"`
	Choice       string            `json:"tool_choice"`
	Tools        []struct{}        `json:"tools"`
	Previous     *string           `json:"previous_response_id"`
	Conversation *conversation     `json:"conversation"`
	Usage        *responseUsage    `json:"usage,omitempty"`
}

type conversation struct {
	ID string `json:"id"`
}

type responseFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responseUsage struct {
	Input         int            `json:"input_tokens"`
	InputDetails  map[string]int `json:"input_tokens_details"`
	Output        int            `json:"output_tokens"`
	OutputDetails map[string]int `json:"output_tokens_details"`
	Total         int            `json:"total_tokens"`
}

// A messageItem is a message of the output.
type messageItem struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Status  string        `json:"status"`
	Role    string        `json:"role"`
	Content []messagePart `json:"content"`
}

type messagePart struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

// A callItem is a call of a function of the output.
type callItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Call      string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func blankResponse(c *serve.Call, p place, model, previous string) *response {
	r := &response{
		ID: p.id(), Object: "response", Created: c.Now().Unix(), Status: "in_progress", Metadata: map[string]string{}, Model: model, Output: []any{},
		Parallel: true, Choice: "auto", Tools: []struct{}{},
	}
	if previous != "" {
		r.Previous = &previous
	}
	if p.thread != "" {
		r.Conversation = &conversation{p.thread}
	}
	return r
}

// ends sets how the run has ended.
func (r *response) ends(e *serve.End, outputs []any) {
	r.Output = outputs
	if u := e.Usage; u != nil {
		r.Usage = &responseUsage{
			u.Input, map[string]int{"cached_tokens": u.CacheRead}, u.Output, map[string]int{"reasoning_tokens": u.Reasoning}, u.Input + u.Output,
		}
	}
	switch {
	case e.Status == "running" && e.Problem == nil:
		r.Status = "in_progress"
	case e.Status == "stopped":
		r.Status = "cancelled"
	default:
		r.Status = "completed"
	}
	if p := e.Problem; p != nil {
		r.Status, r.Error = "failed", &responseFault{p.Code, p.Error()}
	}
}

// outputsOf returns the output of a run that has ended, or waits.
func outputsOf(c *serve.Call, run string, e *serve.End) []any {
	list := []any{}
	if e.Text != "" {
		list = append(list, message(run, 0, "completed", e.Text))
	}
	for _, call := range calls(c, run, e.Requests) {
		list = append(list, itemOf(call))
	}
	return list
}

func message(run string, n int, status, text string) messageItem {
	m := messageItem{"msg_" + run + "_" + strconv.Itoa(n), "message", status, "assistant", []messagePart{}}
	if text != "" {
		m.Content = append(m.Content, textPart(text))
	}
	return m
}

func textPart(text string) messagePart {
	return messagePart{"output_text", text, []struct{}{}, []struct{}{}}
}

func itemOf(call toolCall) callItem {
	return callItem{"fc_" + call.ID, "function_call", "completed", call.ID, call.Function.Name, call.Function.Arguments}
}
