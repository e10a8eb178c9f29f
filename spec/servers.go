package spec

import (
	"strings"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Server is an entry of the section mcp: an MCP server. It is a program, or has an address. Secrets are names of
// variables of the environment, never values.
type Server struct {
	Name    String
	Doc     String
	Command []String // the program and its arguments
	URL     String
	Env     []String // variables that the program gets; alternatives are separated by |
	Bearer  String   // the variable with the token of the address, likewise

	Unread bool
}

func (s *Server) name() *String { return &s.Name }

// Settings returns the settings that are written.
func (s *Server) Settings() []Setting { return settings(&serverTable, s) }

// Alternatives returns the names of variables of which one is enough.
func Alternatives(variable string) []string {
	names := strings.Split(variable, "|")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}

var serverTable = table[Server]{
	Name: "mcp server", Noun: "an MCP server",
	Doc: "An entry of `mcp`: a server whose tools nodes with the flag `inject_tools` may call, under names that begin with the name " +
		"of the server. It has a `command` or a `url`. Values of variables are not part of a spec: each is read where the program " +
		"runs, before the first run starts.",
	Rows: yamlread.Rows([]row[Server]{
		{Key{Name: "doc", Form: FormText, Doc: "What the server is for.",
			Foreign: remedies(instead("doc", "TEXT"), "description", "desc", "about")}, func(s *Server) any { return &s.Doc }},
		{Key{Name: "command", Form: FormNameList, Example: "[github-mcp-server, stdio]", Doc: "The program that is started, and its arguments.",
			Foreign: remedies(instead("command", "[PROGRAM, ARGUMENT]"), "args", "cmd", "program")}, func(s *Server) any { return &s.Command }},
		{Key{Name: "url", Form: FormText, Example: "https://mcp.example.com/v1", Doc: "The address of a server that is reached over HTTP.",
			Foreign: remedies(instead("url", "ADDRESS"), "address", "endpoint", "server_url")}, func(s *Server) any { return &s.URL }},
		{Key{Name: "env", Form: FormNames, Example: "[GITHUB_TOKEN, GH_HOST | GITHUB_HOST]",
			Doc:     "Names of variables of the environment that the program gets. Each is required; of names with `|` between them one is enough.",
			Foreign: remedies(instead("env", "[NAME]")+", names of variables", "environment", "secrets", "env_vars")}, func(s *Server) any { return &s.Env }},
		{Key{Name: "bearer", Form: FormText, Example: "ISSUES_TOKEN",
			Doc:     "The name of the variable with the token that each request to `url` has, or several names with `|` between them.",
			Foreign: remedies(instead("bearer", "NAME")+", the name of a variable", "token", "headers", "auth", "authorization", "api_key")},
			func(s *Server) any { return &s.Bearer }},
	}),
	Unread: func(s *Server) *bool { return &s.Unread },
}
