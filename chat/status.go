package chat

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// StatusError returns the error of an HTTP answer that is not a success, for the providers'
// clients: 429 is RateLimited, 413 ContextTooLong, 408 and 500 and above, 529 (overloaded)
// too, Unreachable, and what else there is BadRequest. retryAfter is
// the header Retry-After, in seconds or as a date of HTTP; now is the time it counts from.
func StatusError(status int, retryAfter, message string, now time.Time) *ModelError {
	wait := RetryAfter(retryAfter, now)
	switch {
	case status == 429:
		return &ModelError{Kind: RateLimited, Wait: wait, Message: message}
	case status == 413:
		return &ModelError{Kind: ContextTooLong, Message: message}
	case status == 408 || status >= 500:
		return &ModelError{Kind: Unreachable, Status: status, Wait: wait, Err: errors.New(message)}
	}
	return &ModelError{Kind: BadRequest, Status: status, Message: message}
}

// RetryAfter reads the header Retry-After: seconds, with a fraction too, or a date of HTTP.
// What it cannot read, and what is past, is 0. No wait is longer than 146 years.
func RetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	// A number out of range is infinite.
	if seconds, err := strconv.ParseFloat(header, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		switch {
		case !(seconds > 0):
			return 0
		case seconds >= longestWait.Seconds():
			return longestWait
		}
		return time.Duration(seconds * float64(time.Second))
	}
	at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", header)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), longestWait)
}

// longestWait can be added to a time.Duration without overflow.
const longestWait time.Duration = math.MaxInt64 / 2

// Redact returns the text without the secrets in it, for messages of providers that repeat
// the key they were given.
func Redact(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	return text
}
