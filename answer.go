package graphgen

import (
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/origin"
)

// An Answer is a person's answer to a request of a paused run of machine M, or the result of a tool that the caller of the machine runs. For each
// node that asks, and each such tool, a function is generated that makes one, such as AnswerLetterCheck, ApproveDeskRefund and ReturnDeskLocate; ContinueLetter
// continues after an interrupt.
// AnswerJSON makes one for a program that does not know the graph. The method Resume of a machine, or of a thread, takes it.
type Answer[M any] struct {
	ID     string     // of the request; empty: the one open request that it fits
	Origin origin.Ref `json:"-"` // what is answered
}

// For returns the answer for the request with that ID. It is needed where several requests of one node are open, as in the branches of a map.
func (a Answer[M]) For(id string) Answer[M] {
	a.ID = id
	return a
}

// AnswerJSON returns the answer to the request with that ID, in JSON: "approve" or "deny", "continue", or what the Schema or the Choices of the
// request describe.
func AnswerJSON[M any](id string, data []byte) Answer[M] {
	return Answer[M]{id, origin.To(origin.JSON(data))}
}

// A Decision is a person's answer to a yes-or-no question. The zero Decision is neither
// Approve nor Deny.
type Decision uint8

const (
	Approve Decision = iota + 1
	Deny
)

// String returns approve or deny, and an empty string for other values.
func (d Decision) String() string {
	switch d {
	case Approve:
		return "approve"
	case Deny:
		return "deny"
	}
	return ""
}

// An Approval is a person's answer to a call of a tool, whose arguments are of type A.
type Approval[A any] struct {
	Decision Decision
	Reason   string // of a denial: the model receives it
	Args     *A     // of an approval: what the tool is called with; nil: with the arguments of the model
}

// A Returned is how a call has ended of a tool that the caller of the machine runs: with a result of type R, or with
// an error.
type Returned[R any] struct {
	Value R
	Error string // why the tool failed: the model gets it instead of the value; empty: it did not
}

// AnsweredBy names who gives the answer with which a call resumes a run, for the record of the node. The kernel checks
// nothing of it: the caller knows who asks it to resume.
func AnsweredBy(who string) ResumeOption {
	return option.ForResume[settings](func(s *settings) { s.Answers().Name = who })
}

// AnswerNote adds a note to the answer with which a call resumes a run, for the record of the node.
func AnswerNote(text string) ResumeOption {
	return option.ForResume[settings](func(s *settings) { s.Answers().Note = text })
}
