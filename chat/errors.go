package chat

import (
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/errtree"
)

// An ErrorKind is the kind of a ModelError.
type ErrorKind uint8

const (
	RateLimited    ErrorKind = iota + 1 // the provider wants fewer calls, or fewer tokens; transient
	ContextTooLong                      // the request has more tokens than the model takes
	Refused                             // the model, or a filter of the provider, refuses to answer
	BadRequest                          // the provider did not accept the request: it is wrong, or not allowed
	Unreachable                         // the network failed, or the provider is down or overloaded; transient. A streamed part of the answer is void
	Malformed                           // the answer does not have the form of the provider, or, after every repair, the form of the output
)

// String returns rate_limited, context_too_long, refused, request, transport or malformed.
func (k ErrorKind) String() string {
	return [...]string{"", "rate_limited", "context_too_long", "refused", "request", "transport", "malformed"}[k]
}

// A ModelError reports why a model gave no answer that can be used. Most fields are for some kinds only.
type ModelError struct {
	Kind    ErrorKind
	Status  int           // BadRequest, Unreachable: of HTTP; 0: no call was made, or there was no answer
	Wait    time.Duration // RateLimited, Unreachable: until the next try, as the provider asks; 0: it does not
	Limit   int           // ContextTooLong: the most tokens; 0 if the provider gives no number
	Used    int           // ContextTooLong: the tokens of the request; 0 if the provider gives no number
	Message string        // all but Unreachable: of the provider or the model. Malformed: what is wrong with the answer
	Text    string        // Malformed: the answer, where there is one
	Err     error         // Unreachable, Malformed: the cause, of the network or a decoder; may be nil
}

func (e *ModelError) Error() string {
	var s string
	switch e.Kind {
	case RateLimited:
		s = "rate limited"
		if e.Wait > 0 {
			s += ", try again in " + e.Wait.String()
		}
	case ContextTooLong:
		s = "the context is too long"
		if e.Limit > 0 {
			s += " for " + strconv.Itoa(e.Limit) + " tokens"
		}
		if e.Used > 0 {
			s += ": it has " + strconv.Itoa(e.Used)
		}
	case Refused:
		s = "the model refused"
	case BadRequest:
		s = "the request was not accepted"
		if e.Status > 0 {
			s += " (" + strconv.Itoa(e.Status) + ")"
		}
	case Unreachable:
		s = "the model could not be reached"
		if e.Status > 0 {
			s = "the provider failed (" + strconv.Itoa(e.Status) + ")"
		}
	case Malformed:
		s = "malformed answer"
	default:
		s = "the model failed"
	}
	s += said(e.Message)
	if e.Err != nil {
		s += said(e.Err.Error())
	}
	return s
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// Transient reports whether another try may succeed: true of RateLimited and Unreachable.
func (e *ModelError) Transient() bool { return e.Decides() }

// RetryAfter returns how long to wait, 0 if that is not known.
func (e *ModelError) RetryAfter() time.Duration { return e.Wait }

// Decides reports whether the kind is transient. An error of another kind leaves Transient and RetryAfter to the other errors of its tree.
// See graphgen.IsTransient.
func (e *ModelError) Decides() bool { return e.Kind == RateLimited || e.Kind == Unreachable }

// IsKind reports whether a ModelError of the kind is in err's tree.
func IsKind(err error, kind ErrorKind) bool {
	var m *ModelError
	return errtree.As(err, &m, func(err error) (ok bool) {
		m, ok = err.(*ModelError)
		return ok && m.Kind == kind
	}) && m.Kind == kind
}

// Fatal marks the error of a tool as one that the model cannot handle. The error is the
// failure of the node, and is not sent to the model.
func Fatal(err error) error { return &fatalError{err} }

type fatalError struct{ err error }

func (e *fatalError) Error() string { return e.err.Error() }
func (e *fatalError) Unwrap() error { return e.err }

// Fatal reports true.
func (e *fatalError) Fatal() bool { return true }

func said(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
