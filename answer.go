package graphgen

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
	Reason   string // of a denial: what the model is told
	Args     *A     // of an approval: what the tool is called with; nil: with the arguments of the model
}

// A Returned is how a call has ended of a tool that the caller of the machine runs: with a result of type R, or with
// an error.
type Returned[R any] struct {
	Value R
	Error string // why the tool failed: the model gets it in place of the value; empty: it did not
}

// AnsweredBy names who gives the answer with which a call resumes a run, for the record of the node. The kernel checks
// nothing of it: the caller knows who asks it to resume.
func AnsweredBy(who string) Option { return func(s *Settings) { s.Answerer = who } }

// AnswerNote adds a note to the answer with which a call resumes a run, for the record of the node.
func AnswerNote(text string) Option { return func(s *Settings) { s.AnswerNote = text } }
