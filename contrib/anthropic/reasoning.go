package anthropic

import (
	"strconv"
	"strings"
)

// A place is the position of a thought in an answer: the bytes of text, and the number of
// calls, before it.
type place struct{ text, calls int }

// ours is the prefix of this package's opaque values. It identifies them when the conversation
// has answers of other providers.
const ours = "anthropic:"

// pack returns a signature, or a redacted thought, with its place.
func pack(p place, secret string) string {
	return ours + strconv.Itoa(p.text) + "." + strconv.Itoa(p.calls) + ":" + secret
}

// unpack is the inverse of pack. It returns false for other texts.
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
