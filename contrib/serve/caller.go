package serve

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/thread"
)

// A Caller is who makes a request.
type Caller struct {
	Tenant string // whose threads it sees; empty only with Shared
	Name   string // for the record of who has answered a request
}

// An Access is what a caller wants to do.
type Access struct {
	Caller
	Verb   Verb
	Graph  string // as it is served; empty: of all graphs
	Thread string // as clients name it; of a start without a name, the name that the thread gets. Empty: of no single one
}

// A Verb is what can be done by a route.
type Verb string

// The verbs of routes.
const (
	Graphs   Verb = "graphs"   // list the graphs
	Describe Verb = "describe" // read the schemas of one
	Picture  Verb = "picture"  // read its picture
	Start    Verb = "start"    // begin a run in a thread
	Run      Verb = "run"      // make a run that is in no thread
	List     Verb = "list"     // list threads
	Read     Verb = "read"     // read the status of a thread
	Watch    Verb = "watch"    // follow its steps and events
	History  Verb = "history"  // read its steps
	Events   Verb = "events"   // read its last run as events
	State    Verb = "state"    // read its state
	Requests Verb = "requests" // read its open requests
	Answer   Verb = "answer"   // answer one
	Recover  Verb = "recover"  // continue a run that has failed, was stopped, or whose process has ended
	Stop     Verb = "stop"
	Fork     Verb = "fork"
	Delete   Verb = "delete"
)

// identify returns who makes a request.
func (h *Handler) identify(r *http.Request) (Caller, error) {
	if h.o.Identify == nil {
		return Caller{}, nil
	}
	c, err := h.o.Identify(r)
	switch {
	case err != nil:
		return Caller{}, &Problem{Status: http.StatusUnauthorized, Code: "unauthenticated", Detail: "Who makes the request is not known.", cause: err}
	case h.o.Shared:
		c.Tenant = ""
	case c.Tenant == "":
		return Caller{}, &Problem{Status: http.StatusForbidden, Code: "forbidden", Detail: "The caller has no tenant."}
	}
	return c, nil
}

// space returns what the names of the caller's threads begin with in the store. No tenant has a part of the name of another one: a slash in it is
// escaped.
func (h *Handler) space(c Caller) string {
	if h.o.Shared {
		return ""
	}
	return url.PathEscape(c.Tenant) + "/"
}

// maxName is how many bytes the name of a thread may have that a client gives.
const maxName = 128

// stored returns the name of a thread in the store.
func (h *Handler) stored(c Caller, name string) (string, error) {
	controls := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || controls {
		detail := "The name of a thread has 1 to 128 bytes of UTF-8, without control characters."
		return "", &Problem{Status: http.StatusBadRequest, Code: "name", Field: "thread", Detail: detail}
	}
	full := h.space(c) + name
	if thread.CheckName(full) != nil {
		return "", &Problem{Status: http.StatusBadRequest, Code: "name", Field: "thread", Detail: "The name of the thread is too long."}
	}
	return full, nil
}
