// Package easy holds the message as its peers have it: structs with tags, for encoding/json by
// reflection, and for easyjson by generated code. That is made by
//
//	go run github.com/mailru/easyjson/easyjson@v0.9.2 -all -no_std_marshalers easy.go
package easy

type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

type Edit struct {
	Path        string  `json:"path"`
	Range       Range   `json:"range"`
	Replacement string  `json:"replacement"`
	Reason      *string `json:"reason,omitempty"`
}

type Arguments struct {
	Query     string   `json:"query"`
	Paths     []string `json:"paths"`
	Limit     int      `json:"limit"`
	Threshold float64  `json:"threshold"`
	Recursive bool     `json:"recursive"`
	Edits     []Edit   `json:"edits"`
	Note      *string  `json:"note,omitempty"`
}

type ToolCall struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Arguments  Arguments `json:"arguments"`
	Confidence float64   `json:"confidence"`
	Cached     bool      `json:"cached"`
}

type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Cost         float64 `json:"cost"`
}

type Reply struct {
	ID        string     `json:"id"`
	Created   int        `json:"created"`
	Model     string     `json:"model"`
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	ToolCalls []ToolCall `json:"tool_calls"`
	Usage     Usage      `json:"usage"`
	Finish    string     `json:"finish"`
	Parent    *string    `json:"parent,omitempty"`
	Flagged   bool       `json:"flagged"`
}
