package speech

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// A Call names a request of a run, for clients that identify calls by one text: the same node asks under the same ID in each run of a thread.
type Call struct{ Thread, Run, Request string }

// String returns the text.
func (c Call) String() string { return Pack("call_", c.Thread, c.Run, c.Request) }

// ParseCall returns the request that a text names. A client may have made it: it is looked up among what the caller may see.
func ParseCall(text string) (c Call, ok bool) {
	parts, ok := Unpack("call_", text, 3)
	if !ok {
		return c, false
	}
	return Call{parts[0], parts[1], parts[2]}, true
}

// Pack returns parts as one text of letters, digits, - and _ that begins with a kind.
func Pack(kind string, parts ...string) string {
	data, _ := json.Marshal(parts) // of strings
	return kind + base64.RawURLEncoding.EncodeToString(data)
}

// Unpack returns the n parts of a text of a kind.
func Unpack(kind, text string, n int) (parts []string, ok bool) {
	text, ok = strings.CutPrefix(text, kind)
	data, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || json.Unmarshal(data, &parts) != nil || len(parts) != n {
		return nil, false
	}
	return parts, true
}
