package plan

import "github.com/graphgen/graphgen/spec"

// A Server is an MCP server that a graph declares. Of each list of variables the first that is set counts.
type Server struct {
	Name    string
	Command []string
	URL     string
	Env     [][]string
	Bearer  []string
}

func servers(list []*spec.Server) []Server {
	var out []Server
	for _, s := range list {
		server := Server{Name: s.Name.V, Command: texts(s.Command), URL: s.URL.V}
		for _, variable := range s.Env {
			server.Env = append(server.Env, spec.Alternatives(variable.V))
		}
		if s.Bearer.IsSet() {
			server.Bearer = spec.Alternatives(s.Bearer.V)
		}
		out = append(out, server)
	}
	return out
}
