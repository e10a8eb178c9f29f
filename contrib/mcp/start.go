package mcp

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
)

// A Declared is a toolbox with the tools of the servers that a graph declares.
type Declared struct {
	names   []string
	servers []*Server
	tools   chat.Toolbox
}

var _ chat.Servers = (*Declared)(nil)

// Start returns the tools of the servers that a graph declares, each after the name of its server and an underscore. The
// variables that they need are read from the environment immediately: variables that are not set, or are empty, are an
// *EnvironmentError. What the variables hold is treated as Secret and Bearer treat it. No server is started
// before it is used. Close ends all of them.
func Start(declared []chat.Server, opts ...Option) (*Declared, error) {
	return declare(declared, os.Getenv, opts)
}

func declare(declared []chat.Server, getenv func(string) string, opts []Option) (*Declared, error) {
	missing := &EnvironmentError{}
	for _, s := range declared {
		for _, names := range needed(&s) {
			if name, _ := first(names, getenv); name == "" {
				missing.Missing = append(missing.Missing, Missing{Server: s.Name, Variables: names})
			}
		}
	}
	if len(missing.Missing) > 0 {
		return nil, missing
	}
	d := &Declared{}
	var boxes []chat.Toolbox
	for _, s := range declared {
		server, err := open(&s, getenv, opts)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		d.names, d.servers = append(d.names, s.Name), append(d.servers, server)
		boxes = append(boxes, Prefix(s.Name, server))
	}
	d.tools = Join(boxes...)
	return d, nil
}

// needed returns the variables of a server: of each list one.
func needed(s *chat.Server) [][]string {
	if len(s.Bearer) > 0 {
		return append(slices.Clone(s.Env), s.Bearer)
	}
	return s.Env
}

// first returns the first variable that is set, and its value.
func first(names []string, getenv func(string) string) (name, value string) {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// open makes a server of its declaration.
func open(s *chat.Server, getenv func(string) string, opts []Option) (*Server, error) {
	if len(s.Command) == 0 {
		all := []HTTPOption{Name(s.Name)}
		if _, token := first(s.Bearer, getenv); token != "" {
			all = append(all, Bearer(token))
		}
		for _, o := range opts {
			all = append(all, o)
		}
		return HTTP(s.URL, all...)
	}
	all := []CommandOption{Name(s.Name)}
	for _, names := range s.Env {
		all = append(all, Secret(first(names, getenv)))
	}
	for _, o := range opts {
		all = append(all, o)
	}
	return Command(s.Command, all...)
}

// Tools returns the tools of all servers.
func (d *Declared) Tools(ctx context.Context) ([]chat.Tool, error) { return d.tools.Tools(ctx) }

// Serves reports whether the server is one of them.
func (d *Declared) Serves(server string) bool { return slices.Contains(d.names, server) }

// Close ends the servers.
func (d *Declared) Close() error {
	var errs []error
	for _, s := range d.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// An EnvironmentError reports the variables that servers need and that are not set. It has no values.
type EnvironmentError struct{ Missing []Missing }

// Missing is a variable that a server needs, or several of which it needs one.
type Missing struct {
	Server    string
	Variables []string
}

func (e *EnvironmentError) Error() string {
	var parts []string
	for _, m := range e.Missing {
		parts = append(parts, "server "+m.Server+" needs "+strings.Join(m.Variables, " or "))
	}
	return "mcp: the environment lacks variables: " + strings.Join(parts, "; ")
}
