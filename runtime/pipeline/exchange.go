package pipeline

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// An exchange is the last request of a wire that observers get.
type exchange struct {
	call int // its number
	sent *chat.Request
}

// sends gives an event the request that is sent, and how it continues the request before.
func (x *exchange) sends(m *graphgen.ModelEvent, req *chat.Request) {
	sent := *req
	sent.Messages, sent.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools) // the conversation continues, observers may keep it
	if x.sent != nil && haveSameSettings(x.sent, &sent) {
		if m.Same = sameMessages(x.sent.Messages, sent.Messages); m.Same > 0 {
			m.Continues = x.call
		}
	}
	x.call, x.sent = m.Call, &sent
	m.Origin = origin.To(&sent)
}

// receives gives an event the answer that the model gave.
func (x *exchange) receives(m *graphgen.ModelEvent, resp *chat.Response) {
	if resp != nil {
		m.Origin = origin.To(resp)
	}
}

// sameMessages returns with how many equal messages two conversations begin.
func sameMessages(a, b []chat.Message) int {
	for i := range min(len(a), len(b)) {
		if !a[i].Equal(b[i]) {
			return i
		}
	}
	return min(len(a), len(b))
}

// haveSameSettings reports whether two requests are the same except for their messages and their purpose.
func haveSameSettings(a, b *chat.Request) bool {
	return a.Model == b.Model && a.System == b.System && slices.Equal(a.Tools, b.Tools) && a.Choice == b.Choice && a.MaxTokens == b.MaxTokens &&
		a.Cache == b.Cache && samePart(a.Output, b.Output) && samePart(a.Temperature, b.Temperature)
}

// samePart reports whether two parts that may be absent are the same.
func samePart[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
