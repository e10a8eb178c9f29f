package chat_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
)

func TestAStatusBecomesATypedError(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	const forever = time.Duration(math.MaxInt64 / 2)
	for _, c := range []struct {
		status     int
		retryAfter string
		transient  bool
		wait       time.Duration
		says       string
	}{
		{400, "", false, 0, "the request was not accepted (400): no"},
		{401, "", false, 0, "the request was not accepted (401): no"},
		{408, "", true, 0, "the provider failed (408): no"},
		{413, "", false, 0, "the context is too long: no"},
		{429, "1.5", true, 1500 * time.Millisecond, "rate limited, try again in 1.5s: no"},
		{429, "Sat, 21 Nov 2026 12:00:20 GMT", true, 20 * time.Second, "rate limited, try again in 20s: no"},
		{429, "Sat, 21 Nov 2026 11:00:00 GMT", true, 0, "rate limited: no"},
		{429, "NaN", true, 0, "rate limited: no"},
		{429, "1e999", true, forever, "rate limited, try again in " + forever.String() + ": no"},
		{429, "Fri, 31 Dec 9999 23:59:59 GMT", true, forever, "rate limited, try again in " + forever.String() + ": no"},
		{500, "", true, 0, "the provider failed (500): no"},
		{529, "3", true, 3 * time.Second, "the provider failed (529): no"},
	} {
		err := chat.StatusError(c.status, c.retryAfter, "no", now)
		if err.Error() != c.says {
			t.Errorf("%d: %q, want %q", c.status, err, c.says)
		}
		if err.Transient() != c.transient || err.RetryAfter() != c.wait {
			t.Errorf("%d: transient is %t, the wait %s, want %t and %s", c.status, err.Transient(), err.RetryAfter(), c.transient, c.wait)
		}
	}
}

func TestSecretsAreTakenOutOfTexts(t *testing.T) {
	const key = "sk-verysecret"
	text := chat.Redact("Incorrect API key provided: "+key, "", key)
	if strings.Contains(text, key) || !strings.Contains(text, "[redacted]") {
		t.Errorf("got %q", text)
	}
}
