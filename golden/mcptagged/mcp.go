// Package mcptagged declares the MCP servers of package mcp in a graph that is a Go struct: generated code is the same.
package mcptagged

import "github.com/graphgen/graphgen/graph"

// A graph declares the MCP servers whose tools its models call.
//
//graphgen:graph mcp entry=ask doc='a graph declares the MCP servers whose tools its models call.'
//graphgen:set mcp={github: {doc: 'Issues and code.', command: [github-mcp-server, stdio], env: ['GITHUB_TOKEN | GH_TOKEN', GITHUB_HOST]}, issues: {url: 'https://mcp.example.com/v1', bearer: ISSUES_TOKEN}}
type _ struct {
	State struct {
		Question string
		Answer   string
	} `graphgen:"input=question; output=answer"`

	Ask graph.Prompt `graphgen:"instructions='Answer with the tools.'; reads=question; writes=answer; flags=inject_tools"`
}
