package temporal

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A failure is the error of a handler, a tool or a model as the workflow gets it: its text, and what decides how the run continues.
type failure struct {
	Text      string        `json:"text,omitempty"`
	Transient bool          `json:"transient,omitempty"`
	Decided   bool          `json:"decided,omitempty"` // an error of its tree has said whether it is transient
	Permanent bool          `json:"permanent,omitempty"`
	Wait      time.Duration `json:"wait,omitempty"` // before a retry
	Panic     bool          `json:"panic,omitempty"`
	Fatal     bool          `json:"fatal,omitempty"`
	Rejection *string       `json:"rejection,omitempty"` // of a guard
	Ended     string        `json:"ended,omitempty"`     // of a context: late or cancelled
	Model     *modelFailure `json:"model,omitempty"`
	Tool      *toolFailure  `json:"tool,omitempty"`
	Tries     *tries        `json:"tries,omitempty"` // of a model; nil: one call has failed, and used nothing
}

type modelFailure struct {
	Kind    chat.ErrorKind `json:"kind"`
	Status  int            `json:"status,omitempty"`
	Wait    time.Duration  `json:"wait,omitempty"`
	Limit   int            `json:"limit,omitempty"`
	Used    int            `json:"used,omitempty"`
	Message string         `json:"message,omitempty"`
	Text    string         `json:"text,omitempty"`
	Cause   string         `json:"cause,omitempty"`
}

type toolFailure struct {
	Kind  chat.ToolErrorKind `json:"kind"`
	Name  string             `json:"name,omitempty"`
	Known []string           `json:"known,omitempty"`
	Size  int                `json:"size,omitempty"`
	Limit int                `json:"limit,omitempty"`
	Text  string             `json:"text,omitempty"`
	Late  bool               `json:"late,omitempty"`
	Cause string             `json:"cause,omitempty"`
}

const (
	endedLate      = "late"
	endedCancelled = "cancelled"
)

// failureType is the type of the errors of activities.
const failureType = "graphgen"

// failed returns the error with which an activity fails. The policy of the activity never retries it.
func failed(f *failure, cause error) error {
	return temporal.NewApplicationErrorWithOptions(f.Text, failureType, temporal.ApplicationErrorOptions{
		NonRetryable: true, Cause: cause, Details: []any{f},
	})
}

// failureOf describes an error.
func failureOf(err error) *failure {
	err = errtree.Sound(err)
	f := &failure{
		Text: err.Error(), Transient: graphgen.IsTransient(err), Decided: errtree.DecidesTransient(err), Permanent: engine.IsPermanent(err),
		Wait: errtree.RetryAfter(err),
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		f.Ended = endedLate
	case errors.Is(err, context.Canceled):
		f.Ended = endedCancelled
	}
	if e, ok := errors.AsType[interface {
		error
		Fatal() bool
	}](err); ok {
		f.Fatal = e.Fatal()
	}
	if e, ok := errors.AsType[interface {
		error
		Rejection() string
	}](err); ok {
		text := e.Rejection()
		f.Rejection = &text
	}
	if e, ok := errors.AsType[*chat.ModelError](err); ok {
		f.Model = &modelFailure{e.Kind, e.Status, e.Wait, e.Limit, e.Used, e.Message, e.Text, text(e.Err)}
	}
	if e, ok := errors.AsType[*triedError](err); ok {
		f.Tries = e.tries
	}
	if e, ok := errors.AsType[*chat.ToolError](err); ok {
		f.Tool = &toolFailure{e.Kind, e.Name, e.Known, e.Size, e.Limit, e.Text, e.Late, text(e.Err)}
	}
	return f
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// error returns the error that a failure describes: with its text, and the errors in it that the kernel looks for.
func (f *failure) error() error {
	var parts []error
	if m := f.Model; m != nil {
		parts = append(parts, &chat.ModelError{
			Kind: m.Kind, Status: m.Status, Wait: m.Wait, Limit: m.Limit, Used: m.Used, Message: m.Message, Text: m.Text, Err: cause(m.Cause),
		})
	}
	if t := f.Tool; t != nil {
		parts = append(parts, &chat.ToolError{
			Kind: t.Kind, Name: t.Name, Known: t.Known, Size: t.Size, Limit: t.Limit, Text: t.Text, Late: t.Late, Err: cause(t.Cause),
		})
	}
	if f.Rejection != nil {
		parts = append(parts, graphgen.Reject(*f.Rejection))
	}
	switch f.Ended {
	case endedLate:
		parts = append(parts, context.DeadlineExceeded)
	case endedCancelled:
		parts = append(parts, context.Canceled)
	}
	var err error
	switch saved := (&thread.SavedError{Text: f.Text, WasTransient: f.Transient, Decided: f.Decided, WasPermanent: f.Permanent, Wait: f.Wait}); {
	case len(parts) == 0:
		err = saved
	case len(parts) == 1 && parts[0].Error() == f.Text && f.decidedBy(parts[0]):
		err = parts[0]
	case !f.decidedBy(errors.Join(parts...)): // what marks it is none of the parts
		err = &joined{f.Text, append([]error{saved}, parts...)}
	default:
		err = &joined{f.Text, parts}
	}
	if f.Fatal {
		return chat.Fatal(err)
	}
	return err
}

// decidedBy reports whether parts of the error decide what the error does.
func (f *failure) decidedBy(parts error) bool {
	return graphgen.IsTransient(parts) == f.Transient && errtree.DecidesTransient(parts) == f.Decided && engine.IsPermanent(parts) == f.Permanent
}

func cause(text string) error {
	if text == "" {
		return nil
	}
	return &thread.SavedError{Text: text}
}

// joined is an error of an activity with the errors that were in it.
type joined struct {
	text  string
	parts []error
}

func (e *joined) Error() string   { return e.text }
func (e *joined) Unwrap() []error { return e.parts }

// failureIn returns what an activity has failed with, nil if it is another error: of the server, or of a worker.
func failureIn(err error) *failure {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != failureType || !app.HasDetails() {
		return nil
	}
	f := new(failure)
	if app.Details(f) != nil {
		return nil
	}
	return f
}
