package record

import (
	"context"
	"errors"
	"time"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/chat/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A failure is an error as data. Errors of package chat, of decoders and of contexts are
// decoded as the same types, other ones as an *OtherError.
type failure struct {
	kind    failureKind
	message string // or reason, or what
	text    string // of a malformed answer
	path    string // of a decoder's error

	status, limit, used int
	wait                time.Duration
	transient, fatal    bool // of another error
	cause               *failure
}

type failureKind uint8

const (
	rateLimited failureKind = iota + 1
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

var failureKindJSON = codec.Enum{Type: "Error", Names: []string{
	"rate_limited", "context_too_long", "refused", "request", "transport", "malformed", "decoding",
	"canceled", "deadline", "fatal", "panic", "other",
}}

// An OtherError is an error of a recorded run whose type recordings do not know. It has the
// message of that error, and wraps the first error behind it whose type they do know.
type OtherError struct {
	Message string
	Err     error // may be nil

	transient, fatal bool
	wait             time.Duration
}

func (e *OtherError) Error() string { return e.Message }

// Unwrap returns the error behind it.
func (e *OtherError) Unwrap() error { return e.Err }

// Transient reports whether the recorded error was transient.
func (e *OtherError) Transient() bool { return e.transient }

// RetryAfter returns the wait of the recorded error, 0 if it had none.
func (e *OtherError) RetryAfter() time.Duration { return e.wait }

// Fatal reports whether that error was marked with chat.Fatal.
func (e *OtherError) Fatal() bool { return e.fatal }

// failed makes data of an error, nil of nil.
func failed(err error) *failure {
	if err == nil {
		return nil
	}
	if f := known(err); f != nil {
		return f
	}
	f := &failure{kind: other, message: err.Error(), cause: behind(err)}
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

// known makes data of an error of a type that recordings know, and returns nil for others. It
// looks at the error itself, not behind it.
func known(err error) *failure {
	switch e := err.(type) {
	case *chat.RateLimitedError:
		return &failure{kind: rateLimited, wait: e.Wait, message: e.Message}
	case *chat.ContextTooLongError:
		return &failure{kind: contextTooLong, limit: e.Limit, used: e.Used, message: e.Message}
	case *chat.RefusedError:
		return &failure{kind: refused, message: e.Reason}
	case *chat.RequestError:
		return &failure{kind: requestWrong, status: e.Status, message: e.Message}
	case *chat.TransportError:
		return &failure{kind: transport, status: e.Status, wait: e.Wait, cause: failed(e.Err)}
	case *chat.MalformedError:
		return &failure{kind: malformed, message: e.What, text: e.Text, cause: failed(e.Err)}
	case *codec.Error:
		return &failure{kind: decoding, path: e.Path, message: e.Message}
	case interface {
		Fatal() bool
		Unwrap() error
	}:
		if inner := e.Unwrap(); e.Fatal() && inner != nil && inner.Error() == err.Error() {
			return &failure{kind: fatal, cause: failed(inner)}
		}
	}
	switch err {
	case context.Canceled:
		return &failure{kind: canceled}
	case context.DeadlineExceeded:
		return &failure{kind: deadline}
	}
	return nil
}

// behind makes data of the first error behind another one that is of a known type.
func behind(err error) *failure {
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

// panicked makes data of what a tool panicked with.
func panicked(v any) *failure {
	f := &failure{kind: panicking, message: "it panicked"}
	switch v := v.(type) {
	case string:
		f.message = v
	case error:
		f.message = v.Error()
	}
	return f
}

func (f *failure) panics() bool { return f != nil && f.kind == panicking }

// err makes an error of the data, nil of nil; it panics with what was panicked with.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	switch f.kind {
	case rateLimited:
		return &chat.RateLimitedError{Wait: f.wait, Message: f.message}
	case contextTooLong:
		return &chat.ContextTooLongError{Limit: f.limit, Used: f.used, Message: f.message}
	case refused:
		return &chat.RefusedError{Reason: f.message}
	case requestWrong:
		return &chat.RequestError{Status: f.status, Message: f.message}
	case transport:
		return &chat.TransportError{Status: f.status, Wait: f.wait, Err: f.cause.err()}
	case malformed:
		return &chat.MalformedError{What: f.message, Text: f.text, Err: f.cause.err()}
	case decoding:
		return &codec.Error{Path: f.path, Message: f.message}
	case canceled:
		return context.Canceled
	case deadline:
		return context.DeadlineExceeded
	case fatal:
		return chat.Fatal(f.cause.err())
	case panicking:
		panic(f.message)
	}
	return &OtherError{Message: f.message, Err: f.cause.err(), transient: f.transient, wait: f.wait, fatal: f.fatal}
}

var failureJSON = codec.Members{
	Type: "Error",
	Names: []string{
		"type", "message", "message_base64", "text", "text_base64", "path", "status", "limit", "used", "wait", "transient", "fatal", "cause",
	},
	Optional: []string{
		"message", "message_base64", "text", "text_base64", "path", "status", "limit", "used", "wait", "transient", "fatal", "cause",
	},
}

func (f failure) EncodeJSON(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	e.Name("type")
	codec.WriteEnum(f.kind, e, &failureKindJSON)
	chatjson.WriteText("message", "message_base64", f.message, e)
	chatjson.WriteText("text", "text_base64", f.text, e)
	chatjson.WriteString("path", f.path, e)
	chatjson.WriteInt("status", f.status, e)
	chatjson.WriteInt("limit", f.limit, e)
	chatjson.WriteInt("used", f.used, e)
	if f.wait != 0 {
		e.Name("wait")
		codec.WriteDuration(f.wait, e)
	}
	chatjson.WriteBool("transient", f.transient, e)
	chatjson.WriteBool("fatal", f.fatal, e)
	writeFailure("cause", f.cause, e)
	e.End()
}

func (f *failure) DecodeJSON(d *codec.Decoder) {
	for o := codec.ReadObject(d, &failureJSON); o.Next(); {
		switch o.Name {
		case "type":
			codec.ReadEnum(&f.kind, d, &failureKindJSON)
		case "message":
			codec.ReadString(&f.message, d)
		case "message_base64":
			chatjson.ReadBase64(&f.message, d)
		case "text":
			codec.ReadString(&f.text, d)
		case "text_base64":
			chatjson.ReadBase64(&f.text, d)
		case "path":
			codec.ReadString(&f.path, d)
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
			f.cause = new(failure)
			f.cause.DecodeJSON(d)
		}
	}
	if f.kind == fatal && f.cause == nil || f.cause.panics() {
		d.Fail("there is no such error")
	}
}
