package chat

import (
	"strconv"
	"time"
)

// A RateLimitedError reports that the provider wants fewer calls, or fewer tokens.
type RateLimitedError struct {
	Wait    time.Duration // until the next try, as the provider asks; 0: it does not
	Message string        // of the provider
}

func (e *RateLimitedError) Error() string {
	s := "rate limited"
	if e.Wait > 0 {
		s += ", try again in " + e.Wait.String()
	}
	return s + said(e.Message)
}

// Transient reports true: it helps to wait.
func (e *RateLimitedError) Transient() bool { return true }

// RetryAfter returns how long to wait, 0 if that is not known.
func (e *RateLimitedError) RetryAfter() time.Duration { return e.Wait }

// A ContextTooLongError reports that a request has more tokens than the model takes.
type ContextTooLongError struct {
	Limit, Used int    // tokens; 0 if the provider gives none
	Message     string // of the provider
}

func (e *ContextTooLongError) Error() string {
	s := "the context is too long"
	if e.Limit > 0 {
		s += " for " + strconv.Itoa(e.Limit) + " tokens"
	}
	if e.Used > 0 {
		s += ": it has " + strconv.Itoa(e.Used)
	}
	return s + said(e.Message)
}

// A RefusedError reports that the model, or a filter of the provider, refuses to answer.
type RefusedError struct {
	Reason string // of the provider or the model
}

func (e *RefusedError) Error() string { return "the model refused" + said(e.Reason) }

// A RequestError reports that the provider did not accept a request: it is wrong, or not
// allowed. A retry does not help.
type RequestError struct {
	Status  int // HTTP: 400, 401, 403, 404 …; 0: no call was made
	Message string
}

func (e *RequestError) Error() string {
	s := "the request was not accepted"
	if e.Status > 0 {
		s += " (" + strconv.Itoa(e.Status) + ")"
	}
	return s + said(e.Message)
}

// A TransportError reports that a call was lost: the network failed, or the provider is down
// or overloaded. The part of the answer that was streamed before is void.
type TransportError struct {
	Status int           // HTTP, 500 and above; 0: there was no answer
	Wait   time.Duration // until the next try, as the provider asks; 0: it does not
	Err    error
}

func (e *TransportError) Error() string {
	s := "the model could not be reached"
	if e.Status > 0 {
		s = "the provider failed (" + strconv.Itoa(e.Status) + ")"
	}
	if e.Err != nil {
		s += said(e.Err.Error())
	}
	return s
}

// Unwrap returns the cause.
func (e *TransportError) Unwrap() error { return e.Err }

// Transient reports true: another try may get through.
func (e *TransportError) Transient() bool { return true }

// RetryAfter returns how long to wait, 0 if that is not known.
func (e *TransportError) RetryAfter() time.Duration { return e.Wait }

// A MalformedError reports that an answer does not have the requested form: that of the
// provider, or, after every repair, that of the output.
type MalformedError struct {
	What string // what is wrong with it
	Text string // the answer, where there is one
	Err  error  // the decoder's; may be nil
}

func (e *MalformedError) Error() string {
	s := "malformed answer" + said(e.What)
	if e.Err != nil {
		s += said(e.Err.Error())
	}
	return s
}

// Unwrap returns the decoder's error.
func (e *MalformedError) Unwrap() error { return e.Err }

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
