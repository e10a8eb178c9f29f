package scenario

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/graphgen/graphgen/spec/diag"
)

// The JSON of a summary. Fields are only ever added.
type (
	jsonSummary struct {
		Diagnostics json.RawMessage `json:"diagnostics"`
		Graphs      []jsonGraph     `json:"graphs"`
		Passed      int             `json:"passed"`
		Failed      int             `json:"failed"`
	}
	jsonGraph struct {
		Spec      string       `json:"spec"`
		OK        bool         `json:"ok"`
		Problem   string       `json:"problem,omitempty"`
		Elapsed   float64      `json:"elapsed"` // seconds
		Scenarios []jsonResult `json:"scenarios"`
		Coverage  *jsonCover   `json:"coverage,omitempty"`
	}
	jsonResult struct {
		Name     string        `json:"name"`
		File     string        `json:"file"`
		Line     int           `json:"line"`
		OK       bool          `json:"ok"`
		Elapsed  float64       `json:"elapsed"`
		Path     []string      `json:"path"`
		End      string        `json:"end"`
		Error    string        `json:"error,omitempty"`
		Failures []jsonFailure `json:"failures,omitempty"`
	}
	jsonFailure struct {
		What string `json:"what"`
		Line int    `json:"line"`
		Want string `json:"want"`
		Got  string `json:"got"`
	}
	jsonCover struct {
		Nodes      int         `json:"nodes"`
		NodesTaken int         `json:"nodes_taken"`
		Edges      int         `json:"edges"`
		EdgesTaken int         `json:"edges_taken"`
		NeverNodes []jsonNever `json:"never_nodes"`
		NeverEdges []jsonNever `json:"never_edges"`
	}
	jsonNever struct {
		Line int    `json:"line"`
		Col  int    `json:"col"`
		Text string `json:"text"`
	}
)

// writeJSON writes a summary as one JSON object.
func writeJSON(w io.Writer, s *Summary) error {
	var found bytes.Buffer
	if err := diag.JSON(&found, s.Diagnostics); err != nil {
		return err
	}
	out := jsonSummary{Diagnostics: found.Bytes(), Graphs: []jsonGraph{}, Passed: s.Passed, Failed: s.Failed}
	for i := range s.Graphs {
		out.Graphs = append(out.Graphs, graphJSON(&s.Graphs[i]))
	}
	return diag.EncodeJSON(w, out)
}

func graphJSON(g *Graph) jsonGraph {
	out := jsonGraph{Spec: g.Spec, OK: g.Problem == "", Problem: g.Problem, Elapsed: g.Elapsed.Seconds(), Scenarios: []jsonResult{}}
	for _, r := range g.Results {
		result := jsonResult{
			Name: r.Name, File: r.File, Line: r.Line, OK: len(r.Failures) == 0, Elapsed: r.Elapsed.Seconds(),
			Path: append([]string{}, r.Path...), End: r.End, Error: r.Error,
		}
		for _, f := range r.Failures {
			result.Failures = append(result.Failures, jsonFailure{What: f.What, Line: f.Line, Want: f.Want, Got: f.Got})
		}
		out.OK = out.OK && result.OK
		out.Scenarios = append(out.Scenarios, result)
	}
	if c := g.Cover; c != nil {
		out.Coverage = &jsonCover{Nodes: c.Nodes, NodesTaken: c.NodesTaken, Edges: c.Transitions, EdgesTaken: c.TransitionsTaken,
			NeverNodes: neverJSON(c.NeverNodes), NeverEdges: neverJSON(c.NeverTransitions)}
	}
	return out
}

func neverJSON(list []Never) []jsonNever {
	out := []jsonNever{}
	for _, n := range list {
		out = append(out, jsonNever(n))
	}
	return out
}
