package serve

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/members"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// A Problem is what a client is sent of an error, as application/problem+json (RFC 9457). Its texts are of this package, with the names of fields:
// they have nothing of a state, a prompt, a file or a value that a client has sent.
type Problem struct {
	Status int
	Code   string // for programs; the type is urn:graphgen:CODE
	Detail string // for people
	Field  string // of the request that is wrong; empty: none
	Retry  time.Duration

	cause error // for Report
}

func (p *Problem) Error() string {
	text := p.Code
	if p.Field != "" {
		text += ": " + p.Field
	}
	return text + ": " + p.Detail
}

// Unwrap returns what the problem was made of, if there is an error that clients are not sent.
func (p *Problem) Unwrap() error { return p.cause }

func (p *Problem) encode(e *codec.Encoder) {
	if !e.Begin() {
		return
	}
	members.Text("type", "urn:graphgen:"+p.Code, e)
	members.Text("title", http.StatusText(p.Status), e)
	chatjson.WriteInt("status", p.Status, e)
	members.Text("code", p.Code, e)
	members.Text("detail", p.Detail, e)
	members.Text("field", p.Field, e)
	e.End()
}

// WriteRetry sets the header with the time after which to ask again.
func (p *Problem) WriteRetry(h http.Header) {
	if p.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.Retry+time.Second-1)/time.Second)))
	}
}

// ProblemOf returns what clients are sent of an error of a Call.
func ProblemOf(err error) *Problem { return problemOf(err) }

// IsNotFound reports whether an error is that something does not exist, or is of another tenant.
func IsNotFound(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Status == http.StatusNotFound
}

func writeProblem(w http.ResponseWriter, p *Problem) {
	p.WriteRetry(w.Header())
	data, err := codec.Append(nil, codec.Of(p, (*Problem).encode))
	if err != nil {
		data = []byte(`{"type":"urn:graphgen:internal"}`)
	}
	write(w, p.Status, "application/problem+json", data)
}

func write(w http.ResponseWriter, status int, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone
}

// is reports whether an error is of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// problems are the problems of errors that clients cause, or can do something about. The first row that fits an error applies.
var problems = []struct {
	fits func(error) bool
	is   Problem
}{
	{is[*thread.HeldError], Problem{Status: http.StatusConflict, Code: "held", Detail: "Another run has the thread.", Retry: time.Second}},
	{func(err error) bool { return errors.Is(err, thread.ErrExists) },
		Problem{Status: http.StatusConflict, Code: "exists", Field: "to", Detail: "There is a thread of that name."}},
	{func(err error) bool { return errors.Is(err, thread.ErrOtherInput) },
		Problem{Status: http.StatusUnprocessableEntity, Code: "other_input", Field: "input", Detail: "A run of that key had another input."}},
	{func(err error) bool { return errors.Is(err, thread.ErrRunPruned) },
		Problem{Status: http.StatusGone, Code: "pruned", Detail: "What the run of that key gave is not kept any more."}},
	{is[*thread.StateError], Problem{Status: http.StatusConflict, Code: "state", Detail: "The thread has a run that has not ended, or cannot do this."}},
	{is[*thread.NotFoundError], Problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is no such thread or record."}},
	{is[*thread.GapError], Problem{Status: http.StatusGone, Code: "gap", Detail: "The steps after that number are not kept: read the thread from 0."}},
	{is[*thread.InvalidError], Problem{Status: http.StatusBadRequest, Code: "name", Field: "thread", Detail: "No thread may have that name."}},
	{is[*thread.VersionError], Problem{Status: http.StatusConflict, Code: "version", Detail: "Another version of the graph has saved the thread."}},
	{func(err error) bool {
		return errors.Is(err, graphgen.ErrResumed) || errors.Is(err, graphgen.ErrOtherNode)
	},
		Problem{Status: http.StatusConflict, Code: "closed", Detail: "No open request has that ID."}},
	{is[*http.MaxBytesError], Problem{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Detail: "The body of the request is too large."}},
	{func(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) },
		Problem{Status: http.StatusRequestTimeout, Code: "too_slow", Detail: "The body of the request came too slowly."}},
	{func(err error) bool { return errors.Is(err, ErrDrained) }, drained},
}

// drained is the problem of a server that ends.
var drained = Problem{Status: http.StatusServiceUnavailable, Code: "draining", Detail: "The server ends: ask another one.", Retry: time.Second}

// codeInternal is the code of an error without a row.
const codeInternal = "internal"

// problemOf returns what a client is sent of an error. Of one without a row it has nothing.
func problemOf(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if answer, ok := errors.AsType[*graphgen.AnswerError](err); ok {
		return invalid("answer", answer.Err)
	}
	if input, ok := errors.AsType[*graphgen.InputError](err); ok {
		return invalid("input", input.Err)
	}
	for _, row := range problems {
		if row.fits(err) {
			p := row.is
			p.cause = err
			return &p
		}
	}
	return internal(err)
}

// internal returns the problem of an error without a row.
func internal(err error) *Problem {
	return &Problem{Status: http.StatusInternalServerError, Code: codeInternal, Detail: "The server could not do this.", cause: err}
}

// invalid returns the problem of a part of a request that is not what the spec wants.
func invalid(part string, err error) *Problem {
	p := &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: part, Detail: "It is not what the spec of the graph wants.", cause: err}
	e, ok := errors.AsType[*codec.Error](err)
	if !ok {
		return p
	}
	switch path := brief(e.Path); {
	case path == "":
	case path[0] == '[':
		p.Field += path
	default:
		p.Field += "." + path
	}
	if e.Err == nil { // else the text is of a type of the program
		p.Detail = withoutValues(e.Message)
	}
	return p
}

// named are the beginnings of messages that quote the name of a field.
var named = []string{"unknown field ", "missing field ", "duplicate key "}

// withoutValues returns a message of a codec without the values that it quotes: the client knows them, and logs must not.
func withoutValues(message string) string {
	var text strings.Builder
	for _, lead := range named {
		if rest, ok := strings.CutPrefix(message, lead); ok {
			name, err := strconv.QuotedPrefix(rest)
			if err != nil {
				break
			}
			text.WriteString(lead + name)
			message = rest[len(name):]
			break
		}
	}
	for {
		at := strings.IndexByte(message, '"')
		if at < 0 {
			return text.String() + message
		}
		value, err := strconv.QuotedPrefix(message[at:])
		if err != nil {
			return text.String() + message[:at]
		}
		text.WriteString(message[:at] + "the value")
		message = strings.TrimPrefix(message[at+len(value):], "…")
	}
}

// isGone reports whether a request has ended, so that no client reads its answer.
func isGone(r *http.Request) bool { return errors.Is(r.Context().Err(), context.Canceled) }
