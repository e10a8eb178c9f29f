package thread

import (
	"github.com/graphgen/graphgen/internal/feed"
	"github.com/graphgen/graphgen/internal/origin"
)

// A Feed passes on what runs in threads do in this process to those who watch the threads there: the pieces of a model's answer,
// and the news that a step is saved. Machines of a process may share one. Its zero value is ready to be used. A
// run with a Feed has an observer.
type Feed struct{ hub feed.Hub }

// Origin leads package durable to what a Feed consists of. A nil Feed leads nowhere.
func (f *Feed) Origin() origin.Ref {
	if f == nil {
		return origin.Ref{}
	}
	return origin.To(&f.hub)
}
