package check

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
)

var serverPasses = []Pass{
	{run: serverForms, Rule: diag.Rule{
		Code: "GG391", Name: "mcp-server",
		Doc: "An MCP server has a command or a url. A command begins with a program, and a url with http:// or https:// and a " +
			"host, without a password. env is for a command, and bearer for a url. No name is there twice, and a name has letters, digits, _ and -.",
		Bad:  serverExample("{url: https://mcp.example.com, env: GITHUB_TOKEN}"),
		Good: serverExample("{url: https://mcp.example.com, bearer: GITHUB_TOKEN}"),
	}},
	{run: variableNames, Rule: diag.Rule{
		Code: "GG392", Name: "variable-name",
		Doc: "env and bearer of an MCP server name variables of the environment, as in GITHUB_TOKEN. The value of a variable is " +
			"not part of a spec: a secret in a spec is a secret in its repository.",
		Bad:  serverExample("{command: [github-mcp-server], env: GITHUB_TOKEN=ghp_1234}"),
		Good: serverExample("{command: [github-mcp-server], env: GITHUB_TOKEN}"),
	}},
	{run: idleServers, Rule: diag.Rule{
		Code: "GG393", Name: "idle-mcp",
		Doc:  "A graph declares MCP servers, and none of its nodes has the flag inject_tools: no model may call their tools.",
		Bad:  strings.Replace(serverExample("{command: [github-mcp-server]}"), ", flags: [inject_tools]", "", 1),
		Good: serverExample("{command: [github-mcp-server]}"),
	}},
}

// serverExample is a spec with an MCP server.
func serverExample(server string) string {
	return "graph: g\nentry: a\nmcp:\n  github: " + server + "\nnodes:\n  a: {kind: prompt, instructions: List the issues., flags: [inject_tools]}\n"
}

func serverForms(c *context) {
	seen := map[string]bool{}
	for _, s := range c.spec.MCP {
		name := "MCP server " + quote(s.Name.V)
		switch {
		case !written(s.Name):
			continue
		case !goname.Valid(s.Name.V):
			c.report(s.Name.Pos, "the name of "+name+" is none that tools can begin with", "use letters, digits, _ and -, with a letter first")
		case seen[s.Name.V]:
			c.report(s.Name.Pos, name+" is there twice", "remove one")
		}
		seen[s.Name.V] = true
		if s.Unread {
			continue
		}
		command, address := len(s.Command) > 0, s.URL.IsSet()
		switch {
		case command && address:
			c.report(s.URL.Pos, name+" has a command and a url", "remove one of them")
		case !command && !address:
			c.report(s.Name.Pos, name+" has neither a command nor a url", "write command: [PROGRAM], or url: ADDRESS")
		case len(s.Env) > 0 && !command:
			c.report(s.Env[0].Pos, name+" has a url, which gets no variables", "write bearer: NAME for the variable with its token, or remove env")
		case s.Bearer.IsSet() && !address:
			c.report(s.Bearer.Pos, name+" has a command, which sends no token", "write env: NAME, or remove bearer")
		}
		if address && !s.URL.Lost && !isAddress(s.URL.V) {
			c.report(s.URL.Pos, "the url of "+name+" is no address of an MCP server",
				"begin it with http:// or https:// and a host, and leave out user and password")
		}
	}
}

// isAddress reports whether a text is an address over HTTP that holds no secret.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func variableNames(c *context) {
	for _, s := range c.spec.MCP {
		names := slices.Clone(s.Env)
		if s.Bearer.IsSet() {
			names = append(names, s.Bearer)
		}
		for _, text := range names {
			if text.Lost {
				continue
			}
			if i := slices.IndexFunc(spec.Alternatives(text.V), func(name string) bool { return !variable.MatchString(name) }); i >= 0 {
				c.report(text.Pos, "MCP server "+quote(s.Name.V)+" needs the name of a variable here, of letters, digits and _",
					"write the name alone, as in GITHUB_TOKEN; its value stays in the environment")
			}
		}
	}
}

func idleServers(c *context) {
	if len(c.spec.MCP) == 0 || c.spec.Unread {
		return
	}
	for _, n := range c.graph.All() {
		if n.Has(spec.InjectTools) || n.Spec.Unread || !n.Kind.Known() {
			return
		}
	}
	c.report(c.spec.MCP[0].Name.Pos, "the graph declares MCP servers, and no node may call their tools", "add flags: [inject_tools] to a prompt, or remove mcp")
}
