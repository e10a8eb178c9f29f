package check

import (
	"net/url"
	"regexp"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
)

var serverPasses = []Pass{
	{Code: "GG391", run: serverForms},
	{Code: "GG392", run: variableNames},
	{Code: "GG393", run: idleServers},
}

func serverForms(c *context) {
	seen := map[string]bool{}
	for _, s := range c.spec.MCP {
		name := "MCP server " + quote(s.Name.V)
		switch {
		case !written(s.Name):
			continue
		case !goname.Valid(s.Name.V):
			c.report(s.Name.Pos, "the name of "+name+" cannot begin the name of a tool", "use letters, digits, _ and -, with a letter first")
		case seen[s.Name.V]:
			c.report(s.Name.Pos, name+" is there twice", diag.Remove("remove one"))
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
			c.report(s.Name.Pos, name+" has neither a command nor a url", "write "+diag.Set("command", "[PROGRAM]")+", or "+diag.Set("url", "ADDRESS"))
		case len(s.Env) > 0 && !command:
			c.report(s.Env[0].Pos, name+" has a url, which gets no variables",
				"write "+diag.Set("bearer", "NAME")+" for the variable with its token, or remove env")
		case s.Bearer.IsSet() && !address:
			c.report(s.Bearer.Pos, name+" has a command, which sends no token", "write "+diag.Set("env", "NAME")+", or remove bearer")
		}
		if address && !s.URL.Lost && !isAddress(s.URL.V) {
			c.report(s.URL.Pos, "the url of "+name+" is not the address of an MCP server",
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
	c.report(c.spec.MCP[0].Name.Pos, "the graph declares MCP servers, and no node may call their tools",
		"add "+diag.Set("flags", "[inject_tools]")+" to a prompt, or remove mcp")
}
