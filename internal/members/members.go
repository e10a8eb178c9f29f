// Package members writes members of JSON objects that events and reports have. Empty values are left out.
package members

import (
	"math"
	"strings"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// Text writes a member, unless it is empty. What is not UTF-8 is replaced.
func Text(name, v string, e *codec.Encoder) {
	chatjson.WriteString(name, strings.ToValidUTF8(v, "\ufffd"), e)
}

// Error writes the text of an error, unless it is nil.
func Error(name string, err error, e *codec.Encoder) {
	if err != nil {
		Text(name, err.Error(), e)
	}
}

// Span writes a member in milliseconds, unless it is 0.
func Span(name string, d time.Duration, e *codec.Encoder) {
	Number(name, float64(d)/float64(time.Millisecond), e)
}

// Number writes a member, unless it is 0 or JSON has no number for it.
func Number(name string, v float64, e *codec.Encoder) {
	if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
		e.Name(name)
		codec.WriteFloat(v, e)
	}
}

// Usage writes a member, unless nothing was used.
func Usage(u chat.Usage, e *codec.Encoder) {
	if u == (chat.Usage{}) {
		return
	}
	if e.Name("usage"); !e.Begin() {
		return
	}
	chatjson.WriteInt("input", u.Input, e)
	chatjson.WriteInt("output", u.Output, e)
	chatjson.WriteInt("reasoning", u.Reasoning, e)
	chatjson.WriteInt("cache_read", u.CacheRead, e)
	chatjson.WriteInt("cache_write", u.CacheWrite, e)
	Number("cost", u.Cost, e)
	e.End()
}
