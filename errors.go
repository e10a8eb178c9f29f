package graphgen

import (
	"errors"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/quote"
)

// A Position is a place in a spec file; Line and Col count from 1.
type Position struct {
	File      string
	Line, Col int
}

// String returns file:line:col.
func (p Position) String() string {
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
}

// Where is the place in a run at which something happened.
type Where struct {
	Graph, Node string
	Branch      string // of composite nodes, as Event has it
	Step, Visit int    // count from 1
	Pos         Position
}

func (w Where) String() string {
	s := w.Pos.String() + ": graph " + w.Graph + ": node " + quote.Text(w.Node)
	if w.Branch != "" {
		s += " of branch " + w.Branch
	}
	if w.Step > 0 {
		s += " (step " + strconv.Itoa(w.Step)
		if w.Visit > 1 {
			s += ", visit " + strconv.Itoa(w.Visit)
		}
		s += ")"
	}
	return s
}

// A RunError is the error of Run when a run does not reach an end that its author wired.
// Err is one of the errors below; StateOf returns the state at the failure.
type RunError struct {
	Graph  string
	Reason Reason
	Report *Report
	Err    error
	State  any `json:"-"` // a pointer to the state as it was committed at the failure; nil: the run did not start
}

func (e *RunError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RunError) Unwrap() error { return e.Err }

// StateOf returns the state of a failed run as it was committed at the failure. S is
// the graph's state type.
func StateOf[S any](err error) (*S, bool) {
	run, ok := errors.AsType[*RunError](err)
	if !ok {
		return nil, false
	}
	s, ok := run.State.(*S)
	return s, ok
}

// A NodeError is the failure of a node: its handler's error, a panic, a timeout, failed
// guards, no matching edge, or used up visits.
type NodeError struct {
	Where   Where
	Attempt int // the execution that failed, from 1; 0: none took place
	Err     error
}

func (e *NodeError) Error() string {
	s := e.Where.String()
	if e.Attempt > 1 {
		s += ", attempt " + strconv.Itoa(e.Attempt)
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *NodeError) Unwrap() error { return e.Err }

// An OutputError reports that a run that changed its graph ended without writing some outputs.
// They have no value, so the run fails.
type OutputError struct {
	Graph  string
	Fields []string // of the output
}

func (e *OutputError) Error() string {
	return "graph " + e.Graph + ": the run ended before it wrote " + strings.Join(e.Fields, ", ") + ": a change of its graph led it past the nodes that do"
}

// A CancelledError reports that the context of a run was cancelled before a node ran or while
// a node failed.
type CancelledError struct {
	Where   Where
	Err     error      // the context's cause
	Failure *NodeError // of the node that ran; nil: the run ended before a node
}

func (e *CancelledError) Error() string {
	s := e.Where.String() + ": " + e.Err.Error()
	if e.Failure == nil || e.Failure.Err.Error() == e.Err.Error() {
		return s
	}
	return s + ": " + e.Failure.Err.Error()
}

// Unwrap returns the context's cause, and the failure of the node if there is one.
func (e *CancelledError) Unwrap() []error {
	errs := []error{e.Err}
	if e.Failure != nil {
		errs = append(errs, e.Failure)
	}
	return errs
}

// A StopError reports that a Stopper stopped the run: before a node, or while a node or a model
// call waited for its next attempt.
type StopError struct {
	Where Where
	Err   error // of what would have been tried again; nil: the run ended before a node

	Origin origin.Ref `json:"-"` // the run that is to stop: this one or a parent
}

func (e *StopError) Error() string {
	s := e.Where.String() + ": stop requested"
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns Err.
func (e *StopError) Unwrap() error { return e.Err }

// A NoEdgeMatchedError reports that no transition of a node matched its result.
type NoEdgeMatchedError struct{ Candidates []Candidate }

// A Candidate is a transition that was not taken.
type Candidate struct {
	To    string
	Label string // of the edge, empty if it has none
	Why   string
	Pos   Position
}

func (e *NoEdgeMatchedError) Error() string {
	text, separator := "no edge matched", ": "
	for _, c := range e.Candidates {
		label := ""
		if c.Label != "" {
			label = quote.Text(c.Label) + " "
		}
		text += separator + "→ " + c.To + " (" + c.Pos.String() + ") " + label + c.Why
		separator = "; "
	}
	return text
}

// An InvalidChoiceError reports that a handler returned an invalid value: no label of its
// branch table, no goto target, no route, or no value of the enum that a branch table reads.
type InvalidChoiceError struct {
	What  string // "branch label", "goto" or "route"; the field that a table or a route looks at; "output"
	Value int    // 0: the handler chose nothing
}

func (e *InvalidChoiceError) Error() string {
	if e.Value == 0 {
		return "the handler returned no " + e.What
	}
	return "the handler returned an unknown " + e.What + ": " + strconv.Itoa(e.Value)
}

// An InputError is the error of a run whose input is not as it must be. No node has run.
type InputError struct{ Err error }

func (e *InputError) Error() string { return "input: " + e.Err.Error() }

// Unwrap returns what is wrong with the input.
func (e *InputError) Unwrap() error { return e.Err }

// A HookError is the verdict of a governing hook that ended the run.
type HookError struct {
	Where Where
	Hook  string
	Err   error

	Origin origin.Ref `json:"-"` // the run whose hook it is, where that is a parent
}

func (e *HookError) Error() string {
	return e.Where.String() + ": hook " + e.Hook + ": " + e.Err.Error()
}

// Unwrap returns the hook's error.
func (e *HookError) Unwrap() error { return e.Err }

// Transient marks err as one that a retry may overcome, so that a retryable node
// is executed again.
func Transient(err error) error { return transientError{err} }

type transientError struct{ error }

func (e transientError) Unwrap() error   { return e.error }
func (e transientError) Transient() bool { return true }

// IsTransient reports whether an error in err's chain has a Transient method that returns true. The first one with the method decides, unless it
// has a method Decides() bool that returns false: a type with kinds of errors has it.
func IsTransient(err error) bool { return errtree.Transient(err) }

// A BranchesError reports that too few branches of a node succeeded.
type BranchesError struct {
	Branches, Succeeded int
	Errs                []error // of the branches that failed, in the order of the branches
}

func (e *BranchesError) Error() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(e.Succeeded) + " of " + strconv.Itoa(e.Branches) + " branches succeeded")
	for i, err := range e.Errs {
		b.WriteString([]string{": ", "; "}[min(i, 1)] + err.Error())
	}
	return b.String()
}

// Unwrap returns the failures.
func (e *BranchesError) Unwrap() []error { return e.Errs }
