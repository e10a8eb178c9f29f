// Package failure makes data of errors of models and tools, for recordings and threads, and errors of the data.
package failure

import (
	"context"
	"errors"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/chat/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Failure is an error as data. Errors of package chat, of decoders and of contexts are
// decoded as the same types, other ones as an *OtherError.
type Failure struct {
	kind    kind
	Message string // or reason, or what
	Text    string // of a malformed answer
	Path    string // of a decoder's error

	status, limit, used int
	wait                time.Duration
	transient, fatal    bool // of another error
	Cause               *Failure
}

type kind uint8

const (
	rateLimited kind = iota + 1
	contextTooLong
	refused
	requestWrong
	transport
	malformed
	decoding
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
// message of that error, and wraps the first error behind it whose type it does know.
type OtherError struct {
	Message string
	Err     error // may be nil

	transient, fatal bool
	wait             time.Duration
}

func (e *OtherError) Error() string { return e.Message }

// Unwrap returns the error behind it.
func (e *OtherError) Unwrap() error { return e.Err }

// Transient reports whether that error was transient.
func (e *OtherError) Transient() bool { return e.transient }

// RetryAfter returns the wait of that error, 0 if it had none.
func (e *OtherError) RetryAfter() time.Duration { return e.wait }

// Fatal reports whether that error was marked with chat.Fatal.
func (e *OtherError) Fatal() bool { return e.fatal }

// Of makes data of an error, nil of nil.
func Of(err error) *Failure {
	if err == nil {
		return nil
	}
	if f := known(err); f != nil {
		return f
	}
	f := &Failure{kind: other, Message: err.Error(), Cause: behind(err)}
	var t interface{ Transient() bool }
	f.transient = errors.As(err, &t) && t.Transient()
	var w interface{ RetryAfter() time.Duration }
	if errors.As(err, &w) {
		f.wait = w.RetryAfter()
	}
	var u interface{ Fatal() bool }
	f.fatal = errors.As(err, &u) && u.Fatal()
	return f
}

// known makes data of an error of a type that the data knows, and returns nil for others. It
// looks at the error itself, not behind it.
func known(err error) *Failure {
	switch e := err.(type) {
	case *chat.RateLimitedError:
		return &Failure{kind: rateLimited, wait: e.Wait, Message: e.Message}
	case *chat.ContextTooLongError:
		return &Failure{kind: contextTooLong, limit: e.Limit, used: e.Used, Message: e.Message}
	case *chat.RefusedError:
		return &Failure{kind: refused, Message: e.Reason}
	case *chat.RequestError:
		return &Failure{kind: requestWrong, status: e.Status, Message: e.Message}
	case *chat.TransportError:
		return &Failure{kind: transport, status: e.Status, wait: e.Wait, Cause: Of(e.Err)}
	case *chat.MalformedError:
		return &Failure{kind: malformed, Message: e.What, Text: e.Text, Cause: Of(e.Err)}
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

// behind makes data of the first error behind another one that is of a known type.
func behind(err error) *Failure {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			if f := known(inner); f != nil {
				return f
			}
			return behind(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if f := known(inner); f != nil {
				return f
			}
			if f := behind(inner); f != nil {
				return f
			}
		}
	}
	return nil
}

// Panicked makes data of what a tool panicked with.
func Panicked(v any) *Failure {
	f := &Failure{kind: panicking, Message: "it panicked"}
	switch v := v.(type) {
	case string:
		f.Message = v
	case error:
		f.Message = v.Error()
	}
	return f
}

// Panics reports whether something panicked with it.
func (f *Failure) Panics() bool { return f != nil && f.kind == panicking }

// Err makes an error of the data, nil of nil; it panics with what was panicked with.
func (f *Failure) Err() error {
	if f == nil {
		return nil
	}
	switch f.kind {
	case rateLimited:
		return &chat.RateLimitedError{Wait: f.wait, Message: f.Message}
	case contextTooLong:
		return &chat.ContextTooLongError{Limit: f.limit, Used: f.used, Message: f.Message}
	case refused:
		return &chat.RefusedError{Reason: f.Message}
	case requestWrong:
		return &chat.RequestError{Status: f.status, Message: f.Message}
	case transport:
		return &chat.TransportError{Status: f.status, Wait: f.wait, Err: f.Cause.Err()}
	case malformed:
		return &chat.MalformedError{What: f.Message, Text: f.Text, Err: f.Cause.Err()}
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

var members = codec.Members{
	Type: "Error",
	Names: []string{
		"type", "message", "message_base64", "text", "text_base64", "path", "status", "limit", "used", "wait", "transient", "fatal", "cause",
	},
	Optional: []string{
		"message", "message_base64", "text", "text_base64", "path", "status", "limit", "used", "wait", "transient", "fatal", "cause",
	},
}

// EncodeJSON writes the data.
func (f Failure) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("type")
	codec.WriteEnum(f.kind, e, &kindJSON)
	chatjson.WriteText("message", "message_base64", f.Message, e)
	chatjson.WriteText("text", "text_base64", f.Text, e)
	chatjson.WriteString("path", f.Path, e)
	chatjson.WriteInt("status", f.status, e)
	chatjson.WriteInt("limit", f.limit, e)
	chatjson.WriteInt("used", f.used, e)
	if f.wait != 0 {
		e.Name("wait")
		codec.WriteDuration(f.wait, e)
	}
	chatjson.WriteBool("transient", f.transient, e)
	chatjson.WriteBool("fatal", f.fatal, e)
	Write("cause", f.Cause, e)
	e.End()
}

// DecodeJSON reads the data.
func (f *Failure) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &members); o.Next(); {
		switch o.Name {
		case "type":
			codec.ReadEnum(&f.kind, d, &kindJSON)
		case "message":
			codec.ReadString(&f.Message, d)
		case "message_base64":
			chatjson.ReadBase64(&f.Message, d)
		case "text":
			codec.ReadString(&f.Text, d)
		case "text_base64":
			chatjson.ReadBase64(&f.Text, d)
		case "path":
			codec.ReadString(&f.Path, d)
		case "status":
			codec.ReadInt(&f.status, d)
		case "limit":
			codec.ReadInt(&f.limit, d)
		case "used":
			codec.ReadInt(&f.used, d)
		case "wait":
			codec.ReadDuration(&f.wait, d)
		case "transient":
			codec.ReadBool(&f.transient, d)
		case "fatal":
			codec.ReadBool(&f.fatal, d)
		case "cause":
			f.Cause = new(Failure)
			f.Cause.DecodeJSON(d)
		}
	}
	if f.kind == fatal && f.Cause == nil || f.Cause.Panics() {
		d.Fail("there is no such error")
	}
}

// Write writes the data as a member of an object, unless there is none.
func Write(name string, f *Failure, e *codec.Encoder) {
	if f != nil {
		e.Name(name)
		f.EncodeJSON(e)
	}
}
