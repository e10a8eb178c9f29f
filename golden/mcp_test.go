package golden_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/golden/mcp"
)

// servers has the tools of the servers whose names it lists.
type servers []string

func (servers) Tools(context.Context) ([]chat.Tool, error) { return nil, nil }

func (s servers) Serves(server string) bool {
	for _, name := range s {
		if name == server {
			return true
		}
	}
	return false
}

// TestServers holds that a run of a graph with MCP servers ends before its first node unless toolboxes serve each of them.
func TestServers(t *testing.T) {
	if got := mcp.MCPServers; len(got) != 2 || got[0].Env[0][1] != "GH_TOKEN" || got[1].URL == "" || got[1].Bearer[0] != "ISSUES_TOKEN" {
		t.Errorf("the servers are %+v", got)
	}
	asked := 0
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		asked++
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "one"}}, nil
	})
	m, err := mcp.NewMCP(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		boxes   []chat.Toolbox
		missing string
	}{
		{"no toolbox", nil, "github"},
		{"a toolbox of no server", []chat.Toolbox{chat.Tools{}}, "github"},
		{"one server", []chat.Toolbox{servers{"github"}}, "issues"},
		{"both servers", []chat.Toolbox{servers{"github", "issues"}}, ""},
		{"both servers, in two toolboxes", []chat.Toolbox{servers{"issues"}, chat.Tools{}, servers{"github"}}, ""},
		{"both servers, recorded", []chat.Toolbox{record.New(io.Discard).Toolbox(servers{"github", "issues"})}, ""},
		{"one server, recorded", []chat.Toolbox{record.New(io.Discard).Toolbox(servers{"issues"})}, "github"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = 0
			var options []graphgen.RunOption
			for _, box := range tt.boxes {
				options = append(options, graphgen.WithToolbox(box))
			}
			_, err := m.Run(t.Context(), mcp.MCPInput{Question: "what is open"}, options...)
			var missing *graphgen.ConfigError
			if tt.missing == "" && (err != nil || asked != 1) {
				t.Errorf("the model was asked %d times: %v", asked, err)
			}
			if tt.missing != "" && (!errors.As(err, &missing) || missing.Name != tt.missing || missing.Graph != "mcp" || asked > 0) {
				t.Errorf("the model was asked %d times: %v", asked, err)
			}
		})
	}
}
