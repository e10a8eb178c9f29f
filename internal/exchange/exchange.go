// Package exchange keeps what models were sent, for the events of runs that report it. Programs link it by the option that asks for it.
package exchange

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/origin"
)

// New returns an Exchange for one model's requests after one another.
func New() origin.Exchange { return new(exchange) }

// An exchange is the last request that observers got.
type exchange struct {
	call int // its number
	sent *chat.Request
}

// Sends implements origin.Exchange.
func (x *exchange) Sends(call int, req *chat.Request) (sent *chat.Request, continues, same int) {
	kept := *req
	kept.Messages, kept.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools) // the conversation continues, observers may keep it
	if x.sent != nil && haveSameSettings(x.sent, &kept) {
		if same = sameMessages(x.sent.Messages, kept.Messages); same > 0 {
			continues = x.call
		}
	}
	x.call, x.sent = call, &kept
	return &kept, continues, same
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
