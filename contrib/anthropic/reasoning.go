package anthropic

import (
	"strconv"
	"strings"
)

// A place is where in an answer a thought stands: after as many bytes of text, and as many
// calls.
type place struct{ text, calls int }

// ours begins what this package gives as opaque, so that it knows its own again when the
// conversation has answers of other providers.
const ours = "anthropic:"

// pack returns a signature, or a redacted thought, with its place.
func pack(p place, secret string) string {
	return ours + strconv.Itoa(p.text) + "." + strconv.Itoa(p.calls) + ":" + secret
}

// unpack is the way back. It is false for what pack did not make.
func unpack(opaque string) (place, string, bool) {
	rest, ok := strings.CutPrefix(opaque, ours)
	if !ok {
		return place{}, "", false
	}
	where, secret, ok := strings.Cut(rest, ":")
	text, calls, dotted := strings.Cut(where, ".")
	if !ok || !dotted {
		return place{}, "", false
	}
	t, err1 := strconv.Atoi(text)
	c, err2 := strconv.Atoi(calls)
	if err1 != nil || err2 != nil || t < 0 || c < 0 {
		return place{}, "", false
	}
	return place{t, c}, secret, true
}
