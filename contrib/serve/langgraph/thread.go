package langgraph

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen"
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

// statusesOf returns the statuses that one of clients stands for.
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

// objectOf returns a thread of a graph. It is not known when it was made: it has the time of its last record.
func objectOf(c *serve.Call, graph string, t *thread.Info, run string) threadObject {
	o := threadObject{
		ID: t.Name, Created: stamp(t.Updated), Updated: stamp(t.Updated), Metadata: map[string]any{"graph_id": graph, "assistant_id": graph},
		Status: statusOf(t.Status), Config: map[string]any{}, Interrupts: map[string][]interrupt{},
	}
	if run == "" { // an interrupt is named by it
		return o
	}
	for _, task := range tasksOf(t.Name, run, t.Requests) {
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
	run := ""
	var values json.RawMessage
	if s, err := c.StateAt(0); err == nil {
		run, values = s.Run, valuesOf(s.Runs[0].Fields)
	} else if !isForbidden(err) {
		return err
	}
	o := objectOf(c, c.Graph().Name, &t, run)
	o.Values = values
	return reply(c, o)
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
		o := objectOf(c, list[i].Graph, &list[i].Info, "")
		if err := c.OpenThread(list[i].Name); err != nil {
			continue // it was deleted meanwhile
		}
		switch s, err := c.StateAt(0); {
		case err == nil:
			o = objectOf(c, list[i].Graph, &list[i].Info, s.Run)
			o.Values = valuesOf(s.Runs[0].Fields)
		case !isForbidden(err) && !serve.IsNotFound(err):
			return err
		}
		objects = append(objects, o)
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

// A checkpoint names a record of a thread.
type checkpoint struct {
	Thread string          `json:"thread_id"`
	ID     string          `json:"checkpoint_id"`
	NS     string          `json:"checkpoint_ns"`
	Map    json.RawMessage `json:"checkpoint_map"`
}

func checkpointOf(c *serve.Call, seq uint64) *checkpoint {
	if seq == 0 {
		return nil
	}
	return &checkpoint{Thread: c.Thread(), ID: strconv.FormatUint(seq, 10)}
}

// seqOf returns the record that the ID of a checkpoint names.
func seqOf(id string) (uint64, error) {
	seq, err := strconv.ParseUint(id, 10, 63)
	if err != nil || seq == 0 {
		return 0, &serve.Problem{Status: http.StatusNotFound, Code: "not_found", Field: "checkpoint_id", Detail: "There is no such checkpoint."}
	}
	return seq, nil
}

// A state is the state of a thread after a record.
type state struct {
	Values     json.RawMessage `json:"values"`
	Next       []string        `json:"next"`
	Tasks      []task          `json:"tasks"`
	Metadata   map[string]any  `json:"metadata"`
	Created    string          `json:"created_at"`
	Checkpoint *checkpoint     `json:"checkpoint"`
	Parent     *checkpoint     `json:"parent_checkpoint"`
}

// A task is a node that follows, or that waits.
type task struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Error      *string         `json:"error"`
	Interrupts []interrupt     `json:"interrupts"`
	Checkpoint json.RawMessage `json:"checkpoint"`
	State      json.RawMessage `json:"state"`
	Result     json.RawMessage `json:"result"`
}

// tasksOf returns the tasks that wait.
func tasksOf(thread, run string, requests []graphgen.Request) (list []task) {
	for i := range requests {
		q := &requests[i]
		id := speech.Call{Thread: thread, Run: run, Request: q.ID}.String()
		list = append(list, task{ID: id, Name: q.Node, Interrupts: []interrupt{{ID: id, Value: valueOf(q)}}})
	}
	return list
}

// stateOf returns a state. Requests are those of the thread: an earlier state has their IDs alone.
func stateOf(c *serve.Call, s *thread.State, requests []graphgen.Request, parent uint64) state {
	outer := &s.Runs[0]
	of := state{
		Values: valuesOf(outer.Fields), Next: []string{}, Tasks: []task{}, Created: stamp(s.Time), Checkpoint: checkpointOf(c, s.Seq),
		Parent: checkpointOf(c, parent), Metadata: map[string]any{
			"graph_id": c.Graph().Name, "assistant_id": c.Graph().Name, "thread_id": c.Thread(), "run_id": s.Run, "source": "loop", "step": s.Seq,
			"parents": map[string]any{},
		},
	}
	if s.Ended != "" {
		return of
	}
	waits := slices.DeleteFunc(slices.Clone(requests), func(q graphgen.Request) bool { return !slices.Contains(s.Open, q.ID) })
	if of.Tasks = append(of.Tasks, tasksOf(c.Thread(), s.Run, waits)...); len(of.Tasks) == 0 {
		if node := next(s); node != "" {
			of.Tasks = append(of.Tasks, task{ID: s.Run + "-" + strconv.FormatUint(s.Seq, 10), Name: node, Interrupts: []interrupt{}})
		}
	}
	for i := range of.Tasks {
		of.Next = append(of.Next, of.Tasks[i].Name)
	}
	return of
}

// next returns the node that follows a record in the outermost run, or that is being executed.
func next(s *thread.State) string {
	outer := &s.Runs[0]
	if outer.Node != "" && !outer.Ended {
		return outer.Node
	}
	return outer.Next
}

// readState sends the state of a thread: the last one, or the one of a checkpoint.
func readState(c *serve.Call) error { return sendState(c, c.Request().PathValue("checkpoint")) }

// readCheckpoint sends the state of a checkpoint.
func readCheckpoint(c *serve.Call) error {
	var r struct {
		Checkpoint checkpoint `json:"checkpoint"`
	}
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	return sendState(c, r.Checkpoint.ID)
}

func sendState(c *serve.Call, id string) error {
	if err := openThread(c); err != nil {
		return err
	}
	seq := uint64(0)
	if id != "" {
		var err error
		if seq, err = seqOf(id); err != nil {
			return err
		}
		if seq > c.Seq() {
			_, err = seqOf("")
			return err
		}
	}
	t, err := c.Info()
	if err != nil {
		return err
	}
	s, err := c.StateAt(seq)
	if err != nil {
		return err
	}
	return reply(c, stateOf(c, s, t.Requests, s.Seq-1))
}

// history sends the last states of a thread, the newest first: one for each node of the outermost run.
func history(c *serve.Call) error {
	if err := openThread(c); err != nil {
		return err
	}
	limit, before, err := pageOf(c)
	if err != nil {
		return err
	}
	t, err := c.Info()
	if err != nil {
		return err
	}
	states, err := c.States(before, limit, func(newer, s *thread.State) bool {
		return newer.Run != s.Run || next(newer) != next(s) || len(newer.Runs[0].Path) != len(s.Runs[0].Path)
	})
	if err != nil {
		return err
	}
	list := []state{}
	for i, s := range states {
		parent := s.Seq - 1
		if i+1 < len(states) {
			parent = states[i+1].Seq
		}
		list = append(list, stateOf(c, s, t.Requests, parent))
	}
	return reply(c, list)
}

// pageOf returns how many states a client wants, and the checkpoint before which they are; 0: there is none.
func pageOf(c *serve.Call) (limit int, before uint64, err error) {
	const usual = 10
	var r struct {
		Limit    *int            `json:"limit"`
		Before   json.RawMessage `json:"before"`
		Metadata json.RawMessage `json:"metadata"`
	}
	id := ""
	if c.Request().Method == http.MethodGet {
		query := c.Request().URL.Query()
		id = query.Get("before")
		if asked := query.Get("limit"); asked != "" {
			n, err := strconv.Atoi(asked)
			if err != nil {
				return 0, 0, speech.Invalid("limit", "It is a number.")
			}
			r.Limit = &n
		}
	} else if err := speech.Read(c, &r); err != nil {
		return 0, 0, err
	}
	if isGiven(r.Metadata) {
		return 0, 0, unsupported("metadata", "States are not found by their metadata.")
	}
	if isGiven(r.Before) {
		var of struct {
			checkpoint
			Configurable checkpoint `json:"configurable"`
		}
		if json.Unmarshal(r.Before, &id) != nil {
			if json.Unmarshal(r.Before, &of) != nil {
				return 0, 0, speech.Invalid("before", "It is a checkpoint.")
			}
			if id = of.ID; id == "" {
				id = of.Configurable.ID
			}
		}
	}
	if id != "" {
		if before, err = seqOf(id); err != nil {
			return 0, 0, err
		}
	}
	if limit = usual; r.Limit != nil {
		limit = *r.Limit
	}
	return max(0, limit), before, nil
}
