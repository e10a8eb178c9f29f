package engine

import (
	"errors"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/internal/quote"
)

// An answer is what a graphgen.Answer leads to: which requests it fits, and how it is given.
type answer struct {
	matches func(*request) bool
	decode  func(*request) (commit func(*request), invalid error)
}

// answerOf returns the answer of a graphgen.Answer to the request with an ID; empty: to any request that it fits.
func answerOf(id string, of origin.Ref) *answer {
	var a answer
	switch given := origin.Of(of).(type) {
	case *answer:
		a = *given
	case origin.JSON:
		a = answer{func(*request) bool { return true }, func(q *request) (func(*request), error) { return q.decodes(given) }}
	default: // the zero Answer
		a = answer{func(*request) bool { return true }, func(*request) (func(*request), error) { return nil, errNoAnswer }}
	}
	if fits := a.matches; id != "" {
		a.matches = func(q *request) bool { return q.ID == id && fits(q) }
	}
	return &a
}

var errNoAnswer = errors.New("it is the zero Answer")

func answerTo[M any](fits func(*request) bool, decode func(*request) (func(*request), error)) graphgen.Answer[M] {
	return graphgen.Answer[M]{Origin: origin.To(&answer{fits, decode})}
}

// Decision returns a decision for a node of the graph of M.
func Decision[M any](at NodeID, d graphgen.Decision) graphgen.Answer[M] {
	return answerTo[M](atNode(at), func(*request) (func(*request), error) { return commitDecision(d) })
}

// Reply returns a reply for a node of the graph of M. invalid is why it is invalid, nil if it is valid.
func Reply[M, A any](at NodeID, reply A, invalid error) graphgen.Answer[M] {
	return answerTo[M](atNode(at), func(*request) (func(*request), error) { return commitReply(reply, invalid) })
}

// NestedDecision is Decision for a node of a graph that the graph of M runs: path has the names of the nodes around it, and its own.
func NestedDecision[M any](path string, d graphgen.Decision) graphgen.Answer[M] {
	return answerTo[M](atPath(path), func(*request) (func(*request), error) { return commitDecision(d) })
}

// NestedReply is Reply for a node of a graph that the graph of M runs: path has the names of the nodes around it, and its own.
func NestedReply[M, A any](path string, reply A, invalid error) graphgen.Answer[M] {
	return answerTo[M](atPath(path), func(*request) (func(*request), error) { return commitReply(reply, invalid) })
}

// Approval returns a verdict on a call of a tool, which has a name, in a graph that nodes run: within has their names. invalid is why the verdict is
// invalid, nil if it is valid.
func Approval[M any](within, tool string, v Verdict, invalid error) graphgen.Answer[M] {
	if invalid == nil {
		invalid = v.Invalid()
	}
	return answerTo[M](atCall(within, tool, false), func(*request) (func(*request), error) { return commitVerdict(v, invalid) })
}

// Return returns how a call of a tool has ended that the caller of the machine runs, as Approval does.
func Return[M any](within, tool string, v Verdict, invalid error) graphgen.Answer[M] {
	return answerTo[M](atCall(within, tool, true), func(*request) (func(*request), error) { return commitVerdict(v, invalid) })
}

// Continue returns the answer for a run that paused between two nodes.
func Continue[M any]() graphgen.Answer[M] {
	return answerTo[M](func(q *request) bool { return q.continues }, func(*request) (func(*request), error) { return continueRun, nil })
}

// continueRun commits the answer to a request that asks nothing.
func continueRun(*request) {}

// atNode selects the requests that the code of a node makes.
func atNode(at NodeID) func(*request) bool {
	return func(q *request) bool {
		return q.node == at && q.isTyped() && q.run.Graph() == q.pause.run.Graph()
	}
}

// atPath selects the requests that the code of a node makes in a run of another machine.
func atPath(path string) func(*request) bool {
	return func(q *request) bool {
		return q.isTyped() && q.Within+"/"+q.run.Graph().Nodes[q.node].Name == path
	}
}

// isTyped reports whether the code of a node in this process makes the request, so that its answer may be a typed value.
func (q *request) isTyped() bool { return !q.continues && q.held == nil && q.apart == nil }

// atCall selects the requests about calls of a tool: one of the machine, or one of another machine within nodes.
func atCall(within, tool string, client bool) func(*request) bool {
	return func(q *request) bool {
		if q.held == nil || q.held.Client != client || q.Tool != tool {
			return false
		}
		if within == "" {
			return q.run.Graph() == q.pause.run.Graph()
		}
		return q.Within == within
	}
}

// commitReply returns what commits a reply.
func commitReply[A any](reply A, invalid error) (commit func(*request), err error) {
	return func(q *request) { *q.reply.(*A) = reply }, invalid
}

// commitVerdict returns what commits a verdict.
func commitVerdict(v Verdict, invalid error) (commit func(*request), err error) {
	return func(q *request) { q.held.Verdict = v }, invalid
}

// commitDecision returns what commits a decision.
func commitDecision(d graphgen.Decision) (commit func(*request), invalid error) {
	if d.String() == "" {
		return nil, errors.New("neither approve nor deny")
	}
	return func(q *request) {
		if d != graphgen.Approve {
			q.run.Pausing().withheld = &graphgen.DeniedError{}
		}
	}, nil
}

// decodes returns what commits an answer in JSON.
func (q *request) decodes(data []byte) (commit func(*request), invalid error) {
	switch {
	case q.accept != nil:
		commit, invalid := q.accept(data)
		return func(*request) { commit() }, invalid
	case q.held != nil:
		return commitVerdict(q.held.Accept(data))
	}
	return decodeWord(q.continues, data)
}

// CheckWord returns why an answer in JSON does not fit a request for a decision, or to continue.
func CheckWord(kind graphgen.RequestKind, data []byte) error {
	_, invalid := decodeWord(kind == graphgen.RequestInterrupt, data)
	return invalid
}

// decodeWord returns what commits a decision, or the word with which a run continues.
func decodeWord(continues bool, data []byte) (commit func(*request), invalid error) {
	text := strings.TrimSpace(string(data))
	switch {
	case continues && text != quote.Text(continueWord):
		return nil, errors.New("not " + continueWord)
	case continues:
		return continueRun, nil
	case text == `"approve"`:
		return commitDecision(graphgen.Approve)
	case text == `"deny"`:
		return commitDecision(graphgen.Deny)
	}
	return commitDecision(0)
}
