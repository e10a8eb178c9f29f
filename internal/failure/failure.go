// Package failure makes data of errors of models and tools, for recordings and threads, and errors of the data.
package failure

import (
	"context"
	"errors"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Failure is an error as data. Errors of package chat, of decoders and of contexts are
// decoded as the same types, other ones as an *OtherError.
type Failure struct {
	kind    kind
	Message string
	Text    string // of a malformed answer
	Path    string // of a decoder's error

	status, limit, used int
	wait                time.Duration
	transient, fatal    bool // of another error
	Cause               *Failure
}

type kind uint8

const (
	rateLimited    = kind(chat.RateLimited)
	contextTooLong = kind(chat.ContextTooLong)
	refused        = kind(chat.Refused)
	badRequest     = kind(chat.BadRequest)
	unreachable    = kind(chat.Unreachable)
	malformed      = kind(chat.Malformed)
)

const (
	decoding kind = iota + malformed + 1
	canceled
	deadline
	fatal
	panicking
	other
)

var kindJSON = codec.Enum{Type: "Error", Names: []string{
	"rate_limited", "context_too_long", "refused", "request", "transport", "malformed", "decoding",
	"canceled", "deadline", "fatal", "panic", "other",
}}

// An OtherError is an error whose type the data does not know. It has the
// message of that error, and wraps the first error that it wraps whose type the data does know.
type OtherError struct {
	Message string
	Err     error // may be nil

	transient, fatal bool
	wait             time.Duration
}

func (e *OtherError) Error() string { return e.Message }

// Unwrap returns the error that it wraps.
func (e *OtherError) Unwrap() error { return e.Err }

// Transient reports whether that error was transient.
func (e *OtherError) Transient() bool { return e.transient }

// RetryAfter returns the wait of that error, 0 if it had none.
func (e *OtherError) RetryAfter() time.Duration { return e.wait }

// Fatal reports whether that error was marked with chat.Fatal.
func (e *OtherError) Fatal() bool { return e.fatal }

// Of makes data of an error, nil of nil.
func Of(err error) *Failure {
	if err = errtree.Sound(err); err == nil {
		return nil
	}
	if f := known(err); f != nil {
		return f
	}
	f := &Failure{kind: other, Message: err.Error(), Cause: wrapped(err)}
	f.transient, f.wait = errtree.Transient(err), errtree.RetryAfter(err)
	var u interface{ Fatal() bool }
	f.fatal = errors.As(err, &u) && u.Fatal()
	return f
}

// known makes data of an error of a type that the data knows, and returns nil for others. It
// looks at the error itself, not at what it wraps.
func known(err error) *Failure {
	switch e := err.(type) {
	case *chat.ModelError:
		if e.Kind == 0 || kind(e.Kind) > malformed {
			return nil
		}
		return &Failure{
			kind: kind(e.Kind), status: e.Status, wait: e.Wait, limit: e.Limit, used: e.Used, Message: e.Message, Text: e.Text, Cause: Of(e.Err),
		}
	case *codec.Error:
		return &Failure{kind: decoding, Path: e.Path, Message: e.Message}
	case interface {
		Fatal() bool
		Unwrap() error
	}:
		if inner := e.Unwrap(); e.Fatal() && inner != nil && inner.Error() == err.Error() {
			return &Failure{kind: fatal, Cause: Of(inner)}
		}
	}
	switch err {
	case context.Canceled:
		return &Failure{kind: canceled}
	case context.DeadlineExceeded:
		return &Failure{kind: deadline}
	}
	return nil
}

// wrapped makes data of the first error that another one wraps and that is of a known type.
func wrapped(err error) *Failure {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			if f := known(inner); f != nil {
				return f
			}
			return wrapped(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if f := known(inner); f != nil {
				return f
			}
			if f := wrapped(inner); f != nil {
				return f
			}
		}
	}
	return nil
}

// Panicked makes data of what a tool panicked with.
func Panicked(v any) *Failure {
	return &Failure{kind: panicking, Message: errtree.PanicText(v)}
}

// Panics reports whether something panicked with it.
func (f *Failure) Panics() bool { return f != nil && f.kind == panicking }

// Err makes an error of the data, nil of nil; it panics with what was panicked with.
func (f *Failure) Err() error {
	if f == nil {
		return nil
	}
	switch f.kind {
	case rateLimited, contextTooLong, refused, badRequest, unreachable, malformed:
		return &chat.ModelError{
			Kind: chat.ErrorKind(f.kind), Status: f.status, Wait: f.wait, Limit: f.limit, Used: f.used, Message: f.Message, Text: f.Text,
			Err: f.Cause.Err(),
		}
	case decoding:
		return &codec.Error{Path: f.Path, Message: f.Message}
	case canceled:
		return context.Canceled
	case deadline:
		return context.DeadlineExceeded
	case fatal:
		return chat.Fatal(f.Cause.Err())
	case panicking:
		panic(f.Message)
	}
	return &OtherError{Message: f.Message, Err: f.Cause.Err(), transient: f.transient, wait: f.wait, fatal: f.fatal}
}

// JSONMembers lists the data.
func (f *Failure) JSONMembers(o *codec.Object) {
	codec.Member(o, "type", &f.kind,
		func(v *kind, d *codec.Decoder) { codec.ReadEnum(v, d, &kindJSON) },
		func(v kind, e *codec.Encoder) { codec.WriteEnum(v, e, &kindJSON) })
	chatjson.TextMember(o, "message", &f.Message)
	chatjson.TextMember(o, "text", &f.Text)
	codec.SparseMember(o, "path", &f.Path, codec.ReadString, codec.WriteString)
	codec.SparseMember(o, "status", &f.status, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "limit", &f.limit, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "used", &f.used, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "wait", &f.wait, codec.ReadDuration, codec.WriteDuration)
	codec.SparseMember(o, "transient", &f.transient, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "fatal", &f.fatal, codec.ReadBool, codec.WriteBool)
	codec.OptionalMember(o, "cause", &f.Cause, Read, Write)
}

// Write writes the data.
func Write(f Failure, e *codec.Encoder) { codec.WriteStruct(&f, e) }

// Read reads the data.
func Read(f *Failure, d *codec.Decoder) {
	codec.ReadStruct(f, d, "Error")
	if f.kind == fatal && f.Cause == nil || f.Cause.Panics() {
		d.Fail("there is no such error")
	}
}
