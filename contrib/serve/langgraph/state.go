package langgraph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

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

// A waiting is what the last run of a thread waits for.
type waiting struct {
	run      string
	failure  string // of the node that follows
	requests []graphgen.Request
}

// waitingOf returns what the thread that is open waits for.
func waitingOf(c *serve.Call) (w waiting, _ error) {
	t, err := c.Info()
	if err != nil {
		return w, err
	}
	s, err := c.StateAt(0)
	if err != nil {
		return w, err
	}
	return waiting{s.Run, t.Failure, t.Requests}, nil
}

// stateOf returns a state. A state has the IDs of its requests alone: those that are open are looked up, as each run has the same IDs.
func stateOf(c *serve.Call, s *thread.State, now waiting, parent uint64) state {
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
	waits := slices.DeleteFunc(slices.Clone(now.requests), func(q graphgen.Request) bool {
		return s.Run != now.run || !slices.Contains(s.Open, q.ID)
	})
	if of.Tasks = append(of.Tasks, tasksOf(c.Thread(), s.Run, waits)...); len(of.Tasks) == 0 {
		if node := next(s); node != "" {
			t := task{ID: s.Run + "-" + strconv.FormatUint(s.Seq, 10), Name: node, Interrupts: []interrupt{}}
			if now.failure != "" && s.Seq == c.Seq() {
				t.Error = &now.failure
			}
			of.Tasks = append(of.Tasks, t)
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
	now, err := waitingOf(c)
	if err != nil {
		return err
	}
	s, err := c.StateAt(seq)
	if err != nil {
		return err
	}
	return reply(c, stateOf(c, s, now, s.Seq-1))
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
	now, err := waitingOf(c)
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
		list = append(list, stateOf(c, s, now, parent))
	}
	return reply(c, list)
}

// pageOf returns the limit and the checkpoint of a request for earlier states. before is 0 if the request names no checkpoint.
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
