package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
	"github.com/openai/openai-go/v3/option"
	"github.com/tidwall/gjson"
)

// failure returns the error of a call as chat has it. No secret is in it.
func (m *Model) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
			return fmt.Errorf("openai: %w: %w", ctx.Err(), cause)
		}
		return fmt.Errorf("openai: %w", context.Cause(ctx))
	}
	if e, ok := err.(*chat.ModelError); ok {
		switch e.Kind {
		case chat.Refused:
			e.Message = chat.Redact(e.Message, m.secrets...)
		case chat.Unreachable:
			e.Err = m.redacted(e.Err)
		}
		return e // the other kinds are made of redacted texts
	}
	var network *url.Error
	if errors.As(err, &network) {
		return &chat.ModelError{Kind: chat.Unreachable, Err: m.redacted(err)}
	}
	return notSendable("%s", chat.Redact(err.Error(), m.secrets...))
}

// redacted returns the error, or its text if that has a secret.
func (m *Model) redacted(err error) error {
	if text := chat.Redact(err.Error(), m.secrets...); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// excerpt returns what an error shows of a server's text.
func (m *Model) excerpt(body []byte) string {
	return bounded.Clip(chat.Redact(string(body), m.secrets...))
}

// checkStatus is where an answer that is not a success becomes an error: the SDK would keep of it only
// what has OpenAI's format.
func (m *Model) checkStatus(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode/100 == 2 {
		return res, err
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body) // the part that was read is enough
	d := m.describe(body)
	if d.message == "" {
		d.message = http.StatusText(res.StatusCode)
	}
	return nil, d.toError(res.StatusCode, res.Header, time.Now())
}

// errorIn returns the error in an answer whose status was a success.
func (m *Model) errorIn(body []byte) error {
	d := m.describe(body)
	status, err := strconv.Atoi(d.code)
	coded := err == nil && status >= 400 && status < 600
	if !coded {
		status = cmp.Or(statusOf[d.code], statusOf[d.kind], http.StatusInternalServerError)
	}
	e := d.toError(status, http.Header{}, time.Now())
	if e.Kind == chat.Unreachable && !coded {
		e.Status = 0 // the answer has no status of its own
	}
	return e
}

// statusOf are the statuses that errors inside of answers would have had outside.
var statusOf = map[string]int{
	"rate_limit_exceeded": 429, "rate_limit_error": 429, "tokens": 429, "requests": 429, "insufficient_quota": 429,
	"invalid_request_error": 400, "invalid_prompt": 400, "context_length_exceeded": 400, "content_filter": 400,
	"authentication_error": 401, "invalid_api_key": 401, "permission_error": 403, "not_found_error": 404,
	"model_not_found": 404,
}

// A description is a server's description of an error.
type description struct {
	message, code, kind string // without secrets
	limit, used         int    // tokens
}

// describe reads the body of an error: OpenAI's, {"error": {"message", "type", "code"}}, and the bodies of
// others, {"error": "…"}, {"message": "…"}, {"detail": "…"}, text.
func (m *Model) describe(body []byte) (d description) {
	excerpt := func(v gjson.Result) string { return m.excerpt([]byte(v.String())) }
	text := strings.TrimSpace(string(body))
	// The stack of gjson.Valid grows with the depth of the text.
	if _, err := bounded.JSON(body); err != nil || !gjson.Valid(text) || !gjson.Parse(text).IsObject() {
		if !strings.HasPrefix(text, "<") { // a page of HTML is less useful than its status
			d.message = m.excerpt([]byte(text))
		}
		return d
	}
	root := gjson.Parse(text)
	e := root.Get("error")
	if !e.IsObject() {
		e = root
	}
	for _, name := range []string{"message", "error", "detail"} {
		if d.message = excerpt(e.Get(name)); d.message != "" {
			break
		}
	}
	// OpenRouter sends "provider returned error", and the provider's error beside it.
	if upstream := e.Get("metadata.raw"); upstream.Type == gjson.String {
		d.message += ": " + excerpt(upstream)
	}
	d.code, d.kind = excerpt(e.Get("code")), excerpt(e.Get("type"))
	d.limit, d.used = int(e.Get("n_ctx").Int()), int(e.Get("n_prompt_tokens").Int()) // of llama.cpp
	return d
}

// toError returns the error of chat.
func (d *description) toError(status int, header http.Header, now time.Time) *chat.ModelError {
	switch {
	case refusals[d.code]:
		return &chat.ModelError{Kind: chat.Refused, Message: d.message}
	case tooLong[d.code] || tooLong[d.kind] || status == 400 && maxContext.MatchString(d.message):
		return d.contextTooLong()
	case d.code == "insufficient_quota" || d.kind == "insufficient_quota": // 429, but no wait helps
		return &chat.ModelError{Kind: chat.BadRequest, Status: status, Message: d.message}
	}
	e := chat.StatusError(status, "", d.message, now)
	switch e.Kind {
	case chat.RateLimited:
		e.Wait = wait(header, d.message, now)
	case chat.Unreachable:
		e.Wait = wait(header, "", now)
	}
	return e
}

var (
	refusals = map[string]bool{"content_filter": true, "content_policy_violation": true}
	tooLong  = map[string]bool{"context_length_exceeded": true, "exceed_context_size_error": true}

	maxContext = regexp.MustCompile(`(?i)maximum context length (?:is|of) (\d+)`)
	usedTokens = regexp.MustCompile(`(?i)(?:resulted in|requested(?: about)?|has) (\d+)`)
	tryAgain   = regexp.MustCompile(`(?i)try again in ((?:[0-9.]+(?:ms|s|m|h))+)`)
)

func (d *description) contextTooLong() *chat.ModelError {
	number := func(known int, pattern *regexp.Regexp) int {
		if found := pattern.FindStringSubmatch(d.message); known == 0 && found != nil {
			known, _ = strconv.Atoi(found[1])
		}
		return known
	}
	return &chat.ModelError{Kind: chat.ContextTooLong,
		Limit: number(d.limit, maxContext), Used: number(d.used, usedTokens), Message: d.message,
	}
}

// wait returns how long the server wants no call: by Retry-After-Ms, Retry-After, the reset of
// limits that are used up, or the time in its message.
func wait(header http.Header, message string, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < maxWaitMs {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if header.Get("Retry-After") != "" {
		return chat.RetryAfter(header.Get("Retry-After"), now)
	}
	longest := time.Duration(0)
	for _, what := range []string{"Requests", "Tokens"} {
		if header.Get("X-Ratelimit-Remaining-"+what) == "0" {
			d, _ := time.ParseDuration(header.Get("X-Ratelimit-Reset-" + what))
			longest = max(longest, d)
		}
	}
	if found := tryAgain.FindStringSubmatch(message); longest == 0 && found != nil {
		longest, _ = time.ParseDuration(found[1])
	}
	return longest
}

// maxWaitMs is a year: a longer wait is taken for a mistake.
const maxWaitMs = 365 * 24 * 3600 * 1000
