package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

var (
	errForm = errors.New("it is not of the API's form")
	errCut  = &chat.ModelError{Kind: chat.Unreachable, Err: fmt.Errorf("the answer ends early: %w", io.ErrUnexpectedEOF)}
)

// Details that only the message of an error has.
var (
	tooLong   = regexp.MustCompile(`(?i)input token count(?: \(?(\d+)\)?)? exceeds the maximum number of tokens allowed(?: \(?(\d+)\)?)?`)
	tooBig    = regexp.MustCompile(`(?i)request payload size exceeds the limit`)
	retryTold = regexp.MustCompile(`(?i)retry in (\d+(?:\.\d+)?(?:ms|s|m))\b`)
)

// failure is the error of a call that the SDK, or the transport under it, ended with.
func (m *Model) failure(ctx context.Context, x *exchange, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if known, ok := errors.AsType[*chat.ModelError](err); ok {
		return known
	}
	// net/http's error holds the whole address.
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	said := chat.Redact(err.Error(), m.secrets...)
	switch {
	case !x.sent:
		return &chat.ModelError{Kind: chat.BadRequest, Message: said}
	case x.answered:
		return &chat.ModelError{Kind: chat.Malformed, Message: bounded.Clip(said)}
	case said != err.Error():
		err = errors.New(said)
	}
	return &chat.ModelError{Kind: chat.Unreachable, Err: err}
}

// ended is the error of a call whose context is done: it wraps the cause, and the
// context's own error.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("the call was ended: %w", cause)
	}
	return fmt.Errorf("the call was ended: %w: %w", err, cause)
}

// malformed is the error of an answer that cannot be read.
func malformed(err error, answer []byte, secrets []string) error {
	what := chat.Redact(err.Error(), secrets...)
	if len(bytes.TrimSpace(answer)) == 0 {
		what = "it is empty"
	}
	return &chat.ModelError{Kind: chat.Malformed, Message: what, Text: bounded.Clip(chat.Redact(string(answer), secrets...))}
}

// A failed is an error as the API writes it.
type failed genai.APIError

// vendorError reads an error of the API, which may be in a list; nil: it is not an error.
func vendorError(body []byte) *failed {
	type envelope struct {
		Error *failed `json:"error"`
	}
	var one envelope
	var list []envelope
	switch {
	case json.Unmarshal(body, &one) == nil:
		return one.Error
	case json.Unmarshal(body, &list) == nil && len(list) > 0:
		return list[0].Error
	}
	return nil
}

// refused is the error of an answer with a status that is not a success.
func (t *transport) refused(res *http.Response) error {
	body, _ := io.ReadAll(res.Body) // the part that was read is enough
	v := vendorError(body)
	if v == nil {
		v = &failed{Message: strings.TrimSpace(string(body))}
	}
	if v.Message == "" {
		v.Message = http.StatusText(res.StatusCode)
	}
	return v.typed(res.StatusCode, res.Header.Get("Retry-After"), t.secrets)
}

// typed is the error as one of chat.
func (f *failed) typed(status int, retryAfter string, secrets []string) error {
	message := bounded.Clip(chat.Redact(f.Message, secrets...))
	switch {
	case status == http.StatusBadRequest && tooLong.MatchString(message):
		n := tooLong.FindStringSubmatch(message)
		used, _ := strconv.Atoi(n[1]) // 0 if the message has none
		limit, _ := strconv.Atoi(n[2])
		return &chat.ModelError{Kind: chat.ContextTooLong, Limit: limit, Used: used, Message: message}
	case status == http.StatusBadRequest && tooBig.MatchString(message):
		return &chat.ModelError{Kind: chat.ContextTooLong, Message: message}
	case status < 100 || status == 499: // without a status, or the API ended its own work
		return &chat.ModelError{Kind: chat.Unreachable, Err: errors.New(message)}
	}
	err := chat.StatusError(status, retryAfter, message, time.Now())
	if err.Transient() {
		err.Wait = max(err.Wait, f.wait())
	}
	return err
}

// wait returns how long to wait before the next try: a detail of type RetryInfo, or else the
// time in the message; 0 if there is neither.
func (f *failed) wait() time.Duration {
	for _, detail := range f.Details {
		if kind, _ := detail["@type"].(string); strings.HasSuffix(kind, "google.rpc.RetryInfo") {
			delay, _ := detail["retryDelay"].(string)
			if d, err := time.ParseDuration(delay); err == nil {
				return max(0, d)
			}
		}
	}
	if told := retryTold.FindStringSubmatch(f.Message); told != nil {
		d, _ := time.ParseDuration(told[1]) // the expression matches nothing else
		return d
	}
	return 0
}
