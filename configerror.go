package graphgen

import "github.com/graphgen/graphgen/internal/quote"

// A ConfigError reports that a machine or a run cannot work with what it is given: a part of the machine that is nil, an option whose value
// cannot work or that names something which the graph does not have, an MCP server that no toolbox serves. The constructor returns it, or the
// call with the option, before the first step; a run that waits keeps waiting.
type ConfigError struct {
	Graph  string
	Option string // as code writes it, such as graphgen.WithModel; the name of a part otherwise: handlers, tools, model, graph, server
	Name   string // the node, model, server or graph that it is about; empty: it is about none
	Why    string // the mistake, and what to do
}

func (e *ConfigError) Error() string {
	s := "graph " + e.Graph + ": " + e.Option
	if e.Name != "" {
		s += " " + quote.Text(e.Name)
	}
	return s + ": " + e.Why
}

const (
	isNil      = "it is nil: leave it out"
	notANumber = "Cost is not a number: leave it out for no bound"
)

// Invalid returns an option whose value cannot work: machines and calls that are given it return a *ConfigError. Other packages with options use it.
func Invalid(option, why string) Option {
	return always(func(s *settings) { s.Refuse(option, why) })
}
