package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/graphgen/graphgen/chat"
)

// failed returns the error of a call that brought no answer.
func (m *Model) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if e, ok := errors.AsType[*chat.ModelError](err); ok && e.Kind == chat.Malformed {
		return e // the answer is too long
	}
	var refused *anthropic.Error
	if errors.As(err, &refused) {
		var header http.Header
		if refused.Response != nil {
			header = refused.Response.Header
		}
		return m.refused(refused.StatusCode, header, []byte(refused.RawJSON()))
	}
	if errors.Is(err, errRedirect) {
		return wrong(errRedirect.Error())
	}
	var call *url.Error
	if errors.As(err, &call) { // whose URL may hold what others should not see
		err = call.Err
	}
	if text := m.redact(err.Error()); text != err.Error() {
		err = errors.New(text)
	}
	return &chat.ModelError{Kind: chat.Unreachable, Err: err}
}

// ended returns the error of a call whose context ended it.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("anthropic: the call was given up: %w", cause)
	}
	return fmt.Errorf("anthropic: the call was given up: %w: %w", err, cause)
}

// statuses are the HTTP statuses of the kinds of errors, for errors within an answer.
var statuses = map[string]int{
	"invalid_request_error": 400,
	"authentication_error":  401,
	"billing_error":         402,
	"permission_error":      403,
	"not_found_error":       404,
	"request_too_large":     413,
	"rate_limit_error":      429,
	"api_error":             500,
	"timeout_error":         504,
	"overloaded_error":      529,
}

// refused returns the error in a response of the API. The status is 0 if it is the error of an
// event within an answer.
func (m *Model) refused(status int, header http.Header, body []byte) error {
	var told struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	message := ""
	if json.Unmarshal(body, &told) == nil { // it bounds the depth of what it reads
		message = brief(m.redact(told.Error.Message))
	} else {
		message = brief(m.redact(string(body)))
	}
	if message == "" {
		message = brief(m.redact(told.Error.Type))
	}
	if message == "" {
		message = strings.ToLower(http.StatusText(status))
	}
	if status == 0 {
		status = 500 // of unknown kind: the answer is lost, and the next may not be
		if s, ok := statuses[told.Error.Type]; ok {
			status = s
		}
	}
	if told.RequestID != "" {
		message = strings.TrimSpace(message + " (" + brief(m.redact(told.RequestID)) + ")")
	}
	if status == 400 {
		if long := tooLong(message); long != nil {
			return long
		}
	}
	return chat.StatusError(status, retryAfter(header), message, time.Now())
}

// retryAfter returns how long to wait, in seconds or as a date.
func retryAfter(header http.Header) string {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return strconv.FormatFloat(ms/1000, 'f', -1, 64)
	}
	return header.Get("Retry-After")
}

// counts matches the API's message for a request that is too long: "210000 tokens > 200000", or
// "190000 + 16384 > 200000".
var counts = regexp.MustCompile(`(\d+)(?: \+ (\d+))?(?: tokens)? > (\d+)`)

// tooLong returns the error of a request that the API refused for its length, or nil. The
// API has no code for it, only words.
func tooLong(message string) error {
	if !strings.Contains(message, "prompt is too long") && !strings.Contains(message, "exceed context limit") {
		return nil
	}
	e := &chat.ModelError{Kind: chat.ContextTooLong, Message: message}
	if n := counts.FindStringSubmatch(message); n != nil {
		e.Used, e.Limit = number(n[1])+number(n[2]), number(n[3])
	}
	return e
}

// number reads digits; none, and more than there can be, are 0.
func number(digits string) int {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

func (m *Model) malformed(what, text string, err error) error {
	if err != nil {
		if said := m.redact(err.Error()); said != err.Error() {
			err = errors.New(said)
		}
	}
	return &chat.ModelError{Kind: chat.Malformed, Message: what, Text: brief(m.redact(text)), Err: err}
}

// brief returns the beginning of a text, in one line.
func brief(text string) string {
	const most = 300 // bytes
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 4*most)], "")), " ")
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}
