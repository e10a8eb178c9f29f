package langgraph

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

// A threadObject is a thread, as clients have it.
type threadObject struct {
	ID         string                 `json:"thread_id"`
	Created    string                 `json:"created_at"`
	Updated    string                 `json:"updated_at"`
	Metadata   map[string]any         `json:"metadata"`
	Status     string                 `json:"status"`
	Config     map[string]any         `json:"config"`
	Values     json.RawMessage        `json:"values,omitempty"`
	Interrupts map[string][]interrupt `json:"interrupts"`
}

// The statuses of threads.
const (
	idle        = "idle"
	busy        = "busy"
	interrupted = "interrupted"
	failed      = "error"
)

// statusOf returns the status of a thread as clients have it.
func statusOf(s thread.Status) string {
	switch s {
	case thread.Running:
		return busy
	case thread.Paused:
		return interrupted
	case thread.Failed:
		return failed
	}
	return idle
}

// statusesOf returns the statuses of threads for a status of clients.
func statusesOf(name string) ([]thread.Status, error) {
	switch name {
	case "":
		return nil, nil
	case idle:
		return []thread.Status{thread.Completed, thread.Stopped}, nil
	case busy:
		return []thread.Status{thread.Running}, nil
	case interrupted:
		return []thread.Status{thread.Paused}, nil
	case failed:
		return []thread.Status{thread.Failed}, nil
	}
	return nil, speech.Invalid("status", "It is idle, busy, interrupted or error.")
}

// objectOf returns a thread with its last state, nil if the caller may not see it. The time at which it was made is not kept: it has the time of its
// last record.
func objectOf(t *serve.Listed, s *thread.State) threadObject {
	o := threadObject{
		ID: t.Name, Created: stamp(t.Updated), Updated: stamp(t.Updated), Metadata: map[string]any{"graph_id": t.Graph, "assistant_id": t.Graph},
		Status: statusOf(t.Status), Config: map[string]any{}, Interrupts: map[string][]interrupt{},
	}
	if s == nil { // interrupts have the ID of its run
		return o
	}
	o.Values = valuesOf(s.Runs[0].Fields)
	for _, task := range tasksOf(t.Name, s.Run, t.Requests) {
		o.Interrupts[task.ID] = task.Interrupts
	}
	return o
}

// createThread names a thread. The thread is kept once a run begins in it.
func createThread(c *serve.Call) error {
	var r struct {
		ID       string          `json:"thread_id"`
		IfExists string          `json:"if_exists"`
		Metadata json.RawMessage `json:"metadata"`
		Steps    json.RawMessage `json:"supersteps"`
	}
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	switch {
	case isGiven(r.Steps):
		return unsupported("supersteps", "A thread begins with a run.")
	case isGiven(r.Metadata) && !isOfGraph(r.Metadata):
		return unsupported("metadata", "Threads have no metadata.")
	}
	if r.ID == "" {
		r.ID = newID(c)
	} else if err := c.OpenThread(r.ID); err == nil {
		if r.IfExists != "do_nothing" {
			return &serve.Problem{Status: http.StatusConflict, Code: "exists", Field: "thread_id", Detail: "There is a thread of that ID."}
		}
		return readOpen(c)
	} else if !serve.IsNotFound(err) {
		return err
	}
	now := stamp(c.Now())
	return reply(c, threadObject{
		ID: r.ID, Created: now, Updated: now, Metadata: map[string]any{}, Status: idle, Config: map[string]any{}, Interrupts: map[string][]interrupt{},
	})
}

// isOfGraph reports whether metadata have nothing but the graph, which clients add.
func isOfGraph(data json.RawMessage) bool {
	var of map[string]json.RawMessage
	if json.Unmarshal(data, &of) != nil {
		return false
	}
	delete(of, "graph_id")
	delete(of, "assistant_id")
	return len(of) == 0
}

// newID returns a UUID for a thread. With an Idempotency-Key, a request that is repeated gets the same.
func newID(c *serve.Call) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it does not fail
	if key := c.Request().Header.Get("Idempotency-Key"); key != "" {
		sum := sha256.Sum256([]byte(key))
		copy(b[:], sum[:])
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// openThread opens the thread of the path.
func openThread(c *serve.Call) error {
	err := c.OpenThread(c.Request().PathValue("thread"))
	if serve.IsNotFound(err) {
		return &serve.Problem{Status: http.StatusNotFound, Code: "not_found", Field: "thread_id", Detail: "There is no such thread."}
	}
	return err
}

func readThread(c *serve.Call) error {
	if err := openThread(c); err != nil {
		return err
	}
	return readOpen(c)
}

// readOpen sends the thread that is open, with its state if the caller may see it.
func readOpen(c *serve.Call) error {
	t, err := c.Info()
	if err != nil {
		return err
	}
	s, err := c.StateAt(0)
	if err != nil && !isForbidden(err) {
		return err
	}
	return reply(c, objectOf(&serve.Listed{Graph: c.Graph().Name, Info: t}, s))
}

func isForbidden(err error) bool { return serve.ProblemOf(err).Status == http.StatusForbidden }

// A search is which threads a client wants.
type search struct {
	Status   string          `json:"status"`
	Metadata json.RawMessage `json:"metadata"`
	Values   json.RawMessage `json:"values"`
	IDs      []string        `json:"ids"`
	Limit    int             `json:"limit"`
	Offset   int             `json:"offset"`
	SortBy   string          `json:"sort_by"`
}

// find returns the threads that the request is about, the one that was changed last first.
func find(c *serve.Call, r *search) ([]serve.Listed, error) {
	if err := speech.Read(c, r); err != nil {
		return nil, err
	}
	var of struct {
		Graph     string `json:"graph_id"`
		Assistant string `json:"assistant_id"`
	}
	switch {
	case isGiven(r.Values):
		return nil, unsupported("values", "Threads are not found by their values.")
	case isGiven(r.Metadata) && (!isOfGraph(r.Metadata) || json.Unmarshal(r.Metadata, &of) != nil):
		return nil, unsupported("metadata", "Threads are found by their graph alone.")
	case r.SortBy != "" && r.SortBy != "updated_at" && r.SortBy != "thread_id":
		return nil, unsupported("sort_by", "Threads are sorted by updated_at or by thread_id.")
	}
	if of.Graph == "" {
		of.Graph = of.Assistant
	}
	if of.Graph != "" {
		if err := c.OpenGraph(of.Graph); err != nil {
			return nil, err
		}
	}
	f := thread.Filter{}
	var err error
	if f.Status, err = statusesOf(r.Status); err != nil {
		return nil, err
	}
	var list []serve.Listed
	for { // all pages: they are by name
		page, err := c.Threads(f)
		if err != nil {
			return nil, err
		}
		for _, t := range page {
			if len(r.IDs) == 0 || slices.Contains(r.IDs, t.Name) {
				list = append(list, t)
			}
		}
		if len(page) == 0 || len(list) >= most {
			break
		}
		f.After = page[len(page)-1].Name
	}
	if r.SortBy != "thread_id" {
		slices.SortStableFunc(list, func(a, b serve.Listed) int { return b.Updated.Compare(a.Updated) })
	}
	return list, nil
}

// most is how many threads are sorted, and longest how many of them a client is sent.
const most, longest = 10_000, 1000

func searchThreads(c *serve.Call) error {
	r := search{Limit: 10}
	list, err := find(c, &r)
	if err != nil {
		return err
	}
	list = list[min(max(0, r.Offset), len(list)):]
	list = list[:min(max(0, r.Limit), len(list), longest)]
	objects := []threadObject{}
	for i := range list {
		t := &list[i]
		s, err := c.StateOf(t)
		switch {
		case serve.IsNotFound(err): // it was deleted meanwhile
			continue
		case isForbidden(err):
			objects = append(objects, objectOf(t, nil))
			continue
		case err != nil:
			return err
		}
		objects = append(objects, objectOf(t, s))
	}
	return reply(c, objects)
}

func countThreads(c *serve.Call) error {
	list, err := find(c, new(search))
	if err != nil {
		return err
	}
	return reply(c, len(list))
}

func deleteThread(c *serve.Call) error {
	if err := openThread(c); err != nil {
		return err
	}
	if err := c.Delete(); err != nil {
		return err
	}
	return c.NoContent()
}

// copyThread forks a thread after its last record.
func copyThread(c *serve.Call) error {
	if err := openThread(c); err != nil {
		return err
	}
	to := newID(c)
	if err := c.Fork(to, c.Seq()); err != nil {
		return err
	}
	if err := c.OpenThread(to); err != nil {
		return err
	}
	return readOpen(c)
}
