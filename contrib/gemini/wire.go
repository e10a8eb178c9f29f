package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// An exchange passes data between one call and the transport under the SDK. The SDK
// hides the header and the status of an answer, and logs what ends a stream.
type exchange struct {
	sent     bool   // the call went out
	answered bool   // with a status of success
	err      error  // what ended it, if the SDK is not to know
	why      string // the answer ended, if the API gives the reason
}

type exchangeKey struct{}

// A transport makes the calls of the SDK, and gives it nothing it cannot read: failures
// become this package's errors, streams are checked and cleaned, and arguments of function
// calls are kept as the model wrote them. It does not follow redirects: the SDK's client
// would send the key along.
type transport struct {
	base    http.RoundTripper
	keyless bool
	secrets []string
}

// RoundTrip makes the call. An answer that is not a success is an error of chat.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a call that is not a model's")
	}
	if x.err != nil {
		return nil, x.err
	}
	if t.keyless {
		req = req.Clone(req.Context())
		req.Header.Del("X-Goog-Api-Key")
	}
	x.sent = true
	res, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		return nil, t.refused(res)
	}
	x.answered = true
	if req.URL.Query().Get("alt") == "sse" {
		res.Body = &events{x: x, body: res.Body, lines: bufio.NewReader(res.Body), secrets: t.secrets}
		return res, nil
	}
	defer res.Body.Close()
	clean, err := t.whole(x, res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(clean))
	res.ContentLength = int64(len(clean))
	return res, nil
}

// whole reads an answer that is not streamed.
func (t *transport) whole(x *exchange, body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, unread(err)
	}
	if data, err = bounded.JSON(data); err != nil {
		return nil, err
	}
	clean, why, err := exactArguments(data)
	if err != nil {
		return nil, malformed(err, data, t.secrets)
	}
	x.why = why
	return clean, nil
}

// unread is the error of a body that cannot be read to its end.
func unread(err error) error {
	if e, ok := errors.AsType[*chat.ModelError](err); ok && e.Kind == chat.Malformed {
		return e // it is too long
	}
	return &chat.ModelError{Kind: chat.Unreachable, Err: err}
}

// guard calls the SDK, which panics on JSON that is valid and not of the API's form.
func (x *exchange) guard(call func() (*genai.GenerateContentResponse, error)) (res *genai.GenerateContentResponse, err error) {
	defer func() {
		if r := recover(); r != nil {
			if !x.answered {
				panic(r)
			}
			res, err = nil, errForm
		}
	}()
	return call()
}

// chunks gives each of a stream's chunks to add, on this goroutine, up to an error.
func (x *exchange) chunks(stream iter.Seq2[*genai.GenerateContentResponse, error], add func(*genai.GenerateContentResponse) error) error {
	next, stop := iter.Pull2(stream)
	defer stop()
	for {
		done := false
		res, err := x.guard(func() (*genai.GenerateContentResponse, error) {
			res, err, more := next()
			done = !more
			return res, err
		})
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		if err := add(res); err != nil {
			return err
		}
	}
}

// events reads a stream of server-sent events and presents one that has nothing but
// data to the SDK. Comments, ids and events of other types, which the SDK takes for errors, are
// left out. An error ends it as if it were complete, and is stored in the exchange: the SDK
// would log it.
type events struct {
	x       *exchange
	body    io.Closer
	lines   *bufio.Reader
	secrets []string
	ready   bytes.Buffer // for the SDK
	started bool         // something that is an event was read
	ended   bool
}

// Read gives the next event, or what is left of it.
func (e *events) Read(p []byte) (int, error) {
	for e.ready.Len() == 0 {
		if e.ended {
			return 0, io.EOF
		}
		if err := e.event(); err != nil {
			e.ended = true
			if err != io.EOF {
				e.x.err = err
			}
		}
	}
	return e.ready.Read(p)
}

// Close ends the connection, where it is not at its end.
func (e *events) Close() error {
	e.ended = true
	_ = e.body.Close() // the SDK would log the error, and nothing can be done about it
	return nil
}

// event reads one event and makes it ready. It returns io.EOF at the end of the stream.
func (e *events) event() error {
	kind, data, plain, end := e.block()
	if end != nil && end != io.EOF {
		return end
	}
	if len(data) == 0 && len(plain) > 0 {
		data, kind = plain, "error" // one that does not bother to be an event, or no stream at all
		if vendorError(data) == nil && !e.started {
			return malformed(errors.New("it is not a stream of events"), data, e.secrets)
		}
	}
	if len(data) == 0 || string(data) == "[DONE]" || kind != "" && kind != "message" && kind != "error" {
		return end
	}
	e.started = true
	data, err := bounded.JSON(data)
	if err != nil {
		return err
	}
	if v := vendorError(data); v != nil {
		return v.typed(v.Code, "", e.secrets)
	}
	clean, why, err := exactArguments(data)
	if err != nil {
		if end == io.EOF {
			return errCut
		}
		return malformed(err, data, e.secrets)
	}
	if why != "" {
		e.x.why = why
	}
	e.ready.WriteString("data: ")
	e.ready.Write(clean)
	e.ready.WriteString("\n\n")
	return end
}

// block reads the lines up to an empty one, or to the end: the type of the event, its data,
// and what is neither that nor anything else that events are made of.
func (e *events) block() (kind string, data, plain []byte, end error) {
	for {
		line, err := e.lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return "", nil, nil, unread(err)
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && (err == io.EOF || len(data)+len(plain) > 0 || kind != ""):
			return kind, data, plain, err
		case string(name) == "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case string(name) == "event":
			kind = string(value)
		case isField(name):
		default:
			plain = append(append(plain, line...), '\n')
		}
		if err == io.EOF {
			return kind, data, plain, err
		}
	}
}

// isField reports whether a line of a stream is to be passed over: a comment, or a field
// that is not looked at. Others are all that is letters; JSON and HTML are not.
func isField(name []byte) bool {
	return strings.Trim(string(name), "abcdefghijklmnopqrstuvwxyz-_") == ""
}
