package chat

// A Server is an MCP server that a graph declares. The values of variables are from the environment where the
// program runs: a graph has their names.
type Server struct {
	Name    string
	Command []string // a program and its arguments; empty: URL is the address
	URL     string
	Env     [][]string // variables that the program gets: of each list the first that is set; one of them has to be
	Bearer  []string   // the variable with the token for URL, likewise; empty: none
}

// Servers is a Toolbox with the tools of servers that a graph declares. A run of such a graph needs one for each server.
type Servers interface {
	Toolbox
	// Serves reports whether the toolbox has the tools of the server.
	Serves(server string) bool
}
