package temporal

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// A carried error is an error of a run as a child workflow returns it: the errors of the kernel with what they have, others as failures.
type carried struct {
	Kind    string                  `json:"kind,omitempty"` // empty: a failure
	Where   *graphgen.Where         `json:"where,omitempty"`
	Attempt int                     `json:"attempt,omitempty"`
	Name    string                  `json:"name,omitempty"` // of a graph or a hook, or what an invalid choice is
	Reason  graphgen.Reason         `json:"reason,omitempty"`
	Limit   *graphgen.LimitError    `json:"limit,omitempty"`
	Guards  []graphgen.GuardFailure `json:"guards,omitempty"`
	Edges   []graphgen.Candidate    `json:"edges,omitempty"`
	Fields  []string                `json:"fields,omitempty"`
	Number  int                     `json:"number,omitempty"`
	Other   int                     `json:"other,omitempty"`
	Around  bool                    `json:"around,omitempty"` // it ends a run around it
	Inner   []*carried              `json:"inner,omitempty"`
	Failure *failure                `json:"failure,omitempty"`
}

// carry returns an error as data, nil of nil.
func carry(err error) *carried {
	switch e := err.(type) {
	case nil:
		return nil
	case *graphgen.RunError:
		return &carried{Kind: "run", Name: e.Graph, Reason: e.Reason, Inner: inner(e.Err)}
	case *graphgen.NodeError:
		return &carried{Kind: "node", Where: &e.Where, Attempt: e.Attempt, Inner: inner(e.Err)}
	case *graphgen.CancelledError:
		c := &carried{Kind: "cancelled", Where: &e.Where, Inner: inner(e.Err)}
		if e.Failure != nil {
			c.Inner = append(c.Inner, carry(e.Failure))
		}
		return c
	case *graphgen.StopError:
		return &carried{Kind: "stop", Where: &e.Where, Inner: inner(e.Err), Around: e.Origin != (origin.Ref{})}
	case *graphgen.HookError:
		return &carried{Kind: "hook", Where: &e.Where, Name: e.Hook, Inner: inner(e.Err), Around: e.Origin != (origin.Ref{})}
	case *graphgen.LimitError:
		return &carried{Kind: "limit", Limit: e, Around: e.Origin != (origin.Ref{})}
	case *graphgen.InputError:
		return &carried{Kind: "input", Inner: inner(e.Err)}
	case *graphgen.OutputError:
		return &carried{Kind: "output", Name: e.Graph, Fields: e.Fields}
	case *graphgen.GuardsError:
		return &carried{Kind: "guards", Guards: e.Failed}
	case *graphgen.NoEdgeMatchedError:
		return &carried{Kind: "edges", Edges: e.Candidates}
	case *graphgen.InvalidChoiceError:
		return &carried{Kind: "choice", Name: e.What, Number: e.Value}
	case *graphgen.BranchesError:
		c := &carried{Kind: "branches", Number: e.Branches, Other: e.Succeeded}
		for _, err := range e.Errs {
			c.Inner = append(c.Inner, carry(err))
		}
		return c
	}
	if err == errAround {
		return &carried{Kind: "around"}
	}
	return &carried{Failure: failureOf(err)}
}

func inner(err error) []*carried {
	if err == nil {
		return nil
	}
	return []*carried{carry(err)}
}

// error returns the error. ctx is the context of the node that has made the run, rep the report of the run.
func (c *carried) error(ctx context.Context, rep *graphgen.Report) error {
	var parts []error
	for _, i := range c.Inner {
		parts = append(parts, i.error(ctx, rep))
	}
	var first error
	if len(parts) > 0 {
		first = parts[0]
	}
	switch c.Kind {
	case "run":
		return &graphgen.RunError{Graph: c.Name, Reason: c.Reason, Report: reportOf(rep, c.Name), Err: first}
	case "node":
		return &graphgen.NodeError{Where: *c.Where, Attempt: c.Attempt, Err: first}
	case "cancelled":
		e := &graphgen.CancelledError{Where: *c.Where, Err: first}
		if len(parts) > 1 {
			e.Failure, _ = parts[1].(*graphgen.NodeError)
		}
		return e
	case "stop":
		return &graphgen.StopError{Where: *c.Where, Err: first, Origin: c.origin()}
	case "hook":
		return &graphgen.HookError{Where: *c.Where, Hook: c.Name, Err: first, Origin: c.origin()}
	case "limit":
		e := *c.Limit
		e.Origin = c.origin()
		return &e
	case "input":
		return &graphgen.InputError{Err: first}
	case "output":
		return &graphgen.OutputError{Graph: c.Name, Fields: c.Fields}
	case "guards":
		return &graphgen.GuardsError{Failed: c.Guards}
	case "edges":
		return &graphgen.NoEdgeMatchedError{Candidates: c.Edges}
	case "choice":
		return &graphgen.InvalidChoiceError{What: c.Name, Value: c.Number}
	case "branches":
		return &graphgen.BranchesError{Branches: c.Number, Succeeded: c.Other, Errs: parts}
	case "around":
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return errAround
	}
	return c.Failure.error()
}

// origin returns the origin of an error that ends a run around the workflow: c takes the place of that run. Of another error it is empty.
func (c *carried) origin() origin.Ref {
	if c.Around {
		return origin.To(c)
	}
	return origin.Ref{}
}

// reportOf returns the report of the run of a graph: rep, or the last one in it.
func reportOf(rep *graphgen.Report, graph string) *graphgen.Report {
	if rep.Graph == graph {
		return rep
	}
	for i := len(rep.Nested) - 1; i >= 0; i-- {
		if of := reportOf(rep.Nested[i].Report, graph); of.Graph == graph {
			return of
		}
	}
	return rep
}

type plainReport graphgen.Report

// A carriedReport is a report with its errors as data. What hides the fields of the report has their names.
type carriedReport struct {
	plainReport
	Failures []carriedFailure
	Nested   []carriedNested
	Detail   *carriedDetail `json:",omitempty"`
}

type carriedFailure struct {
	Err           *carried
	Soft, Cleared bool
}

type carriedNested struct {
	graphgen.NestedReport
	Report *carriedReport
}

type carriedDetail struct {
	graphgen.RunDetail
	Calls []carriedCall
}

type carriedCall struct {
	graphgen.ModelCall
	Err *carried
}

// carryReport returns a report as data.
func carryReport(rep *graphgen.Report) *carriedReport {
	c := &carriedReport{plainReport: plainReport(*rep)}
	c.plainReport.Origin = origin.Ref{}
	for _, f := range rep.Failures {
		c.Failures = append(c.Failures, carriedFailure{carry(f.Err), f.Soft, f.Cleared})
	}
	for _, n := range rep.Nested {
		c.Nested = append(c.Nested, carriedNested{n, carryReport(n.Report)})
	}
	if rep.Detail != nil {
		c.Detail = &carriedDetail{RunDetail: *rep.Detail}
		c.Detail.Output = nil // the workflow returns it
		for _, call := range rep.Detail.Calls {
			c.Detail.Calls = append(c.Detail.Calls, carriedCall{call, carry(call.Err)})
		}
	}
	return c
}

// report returns the report. ctx is the context of the node that has made the run.
func (c *carriedReport) report(ctx context.Context) *graphgen.Report {
	rep := graphgen.Report(c.plainReport)
	rep.Failures, rep.Nested, rep.Detail = nil, nil, nil
	for _, n := range c.Nested {
		n.NestedReport.Report = n.Report.report(ctx)
		rep.Nested = append(rep.Nested, n.NestedReport)
	}
	for _, f := range c.Failures {
		err, _ := f.Err.error(ctx, &rep).(*graphgen.NodeError)
		rep.Failures = append(rep.Failures, graphgen.Failure{Err: err, Soft: f.Soft, Cleared: f.Cleared})
	}
	if c.Detail != nil {
		d := c.Detail.RunDetail
		d.Calls = nil
		for _, call := range c.Detail.Calls {
			call.ModelCall.Err = nil
			if call.Err != nil {
				call.ModelCall.Err = call.Err.error(ctx, &rep)
			}
			d.Calls = append(d.Calls, call.ModelCall)
		}
		rep.Detail = &d
	}
	return &rep
}
