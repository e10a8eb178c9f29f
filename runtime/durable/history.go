package durable

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/thread"
)

// A Step is what one record of a thread saves: a step of a run, what a call within a step gave, a pause, an end.
type Step struct {
	Seq      uint64
	Time     time.Time
	Bytes    int
	Snapshot bool     // the record has the whole state
	Run      string   // the ID of the run that begins with the record; empty: a run goes on
	Forked   Origin   // where the thread was forked from
	Changes  []Change // of the runs of the tree
	Calls    []Call   // calls of models, tools and thread.Once that gave a result
	Answers  []Answer
	Open     []string // the IDs of the requests that the run waits for
	Paused   bool     // the run waits from here on
	Ended    string   // the reason why the run ended; empty: it has not
	Failure  string   // with which it failed
}

// An Origin is the record behind which a thread was forked from another one. The zero Origin is none.
type Origin struct {
	Thread string
	Seq    uint64
}

// A Change is what a record saves of one run of the tree.
type Change struct {
	At         string  // the place of the run: the nodes around it, with branches; empty: the outermost run
	Node       string  // the node that was executed, or within which others run; empty: the run begins
	Ended      bool    // the node has ended
	Transition string  // that was followed, such as write>judge or terminal
	Next       string  // the node that follows; empty: none does
	Failed     string  // the error with which the branch has failed
	Written    []Value // the fields of the state whose values changed, by name
}

// A Value is a field of a state.
type Value struct {
	Name  string
	JSON  []byte
	Added bool // JSON has what was added to a list
}

// A Call is a call whose result was saved before its step ended: it is not made again.
type Call struct {
	At   string // the place of the run
	Key  string // model, tool or once, with the attempt, the iteration and a number or name
	JSON []byte // the result
}

// An Answer is how a request was answered.
type Answer struct {
	ID       string
	Decision string    // approve, deny, reply, or late: an answer after the deadline, which is not taken
	Late     time.Time // the deadline that had passed; zero: it had not
}

// historyPage is how many records are read at once.
const historyPage = 500

// History yields the steps of a thread behind a record, in order. It executes nothing, needs no machine, and leaves out what is sealed. The last pair
// has the error, if there is one.
func History(ctx context.Context, s thread.Store, id string, after uint64) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		err := follow(ctx, s, id, after, func(before, l *log, r *thread.Record, v *record) bool {
			return r.Seq <= after || yield(stepOf(before, l, r, v), nil)
		})
		if err != nil {
			yield(Step{}, err)
		}
	}
}

// Replay yields the state of a thread behind each of its records from one on, through another; 0 is the first, and the
// last. The states are what the records add up to: no handler, model or tool is called. The last pair has the
// error, if there is one.
func Replay(ctx context.Context, s thread.Store, id string, from, through uint64) iter.Seq2[*State, error] {
	return func(yield func(*State, error) bool) {
		err := follow(ctx, s, id, 0, func(_, l *log, r *thread.Record, v *record) bool {
			switch {
			case through > 0 && r.Seq > through:
				return false
			case r.Seq < from:
				return true
			}
			return yield(stateOf(id, l, r), nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// follow calls see for each record from the last snapshot through the record after on, and for all behind it, with what the
// records before add up to, and what they add up to with it. It ends when see returns false.
func follow(ctx context.Context, s thread.Store, id string, after uint64, see func(before, l *log, r *thread.Record, v *record) bool) error {
	r := newReader(s, id)
	sees := func(before, l *log, rec *thread.Record, v *record) error {
		if !see(before, l, rec, v) {
			return errLeft
		}
		return nil
	}
	err := r.begin(ctx, after, sees)
	if err == nil {
		err = r.read(ctx, 0, sees)
	}
	if err == errLeft {
		return nil
	}
	return err
}

// stepOf returns what a record saves.
func stepOf(before, l *log, r *thread.Record, v *record) Step {
	s := Step{
		Seq: r.Seq, Time: r.Time, Bytes: len(r.Data), Snapshot: r.Snapshot, Ended: v.ended, Failure: v.failure,
		Paused: v.closed, Forked: v.forked,
	}
	begins := r.Snapshot && v.run != before.run
	if begins {
		s.Run = v.run
	}
	for i := range v.runs {
		e := &v.runs[i]
		var was *codec.Cells
		if old := before.runs[e.place]; old != nil && r.Snapshot && (!begins || s.Forked.Thread != "") {
			was = &old.cells
		}
		if c, changed := changeOf(l, e, was, r.Snapshot); changed {
			s.Changes = append(s.Changes, c)
		}
	}
	for _, e := range v.effects {
		if old := before.runs[e.place]; !r.Snapshot || old == nil || old.effects[e.key] == nil {
			s.Calls = append(s.Calls, Call{e.place, e.key, e.json})
		}
	}
	for _, d := range v.verdicts {
		if _, known := before.verdicts[d.id]; !r.Snapshot || !known {
			s.Answers = append(s.Answers, Answer{d.id, d.what(), d.Late})
		}
	}
	for _, q := range v.open {
		s.Open = append(s.Open, q.id)
	}
	return s
}

// changeOf returns what an entry changes, and whether that is more than counters. An entry of a snapshot has all that is
// saved of its run: it is compared with what was saved before.
func changeOf(l *log, e *entry, was *codec.Cells, whole bool) (Change, bool) {
	is := &l.of(e.place).cells
	c := Change{At: e.place, Ended: e.step || whole, Failed: text(is, ".failed")}
	c.position(is)
	moved := !whole || was == nil
	for _, name := range []string{".to", ".at", ".path", endedCell} {
		moved = moved || !bytes.Equal(is.Value(name), was.Value(name))
	}
	if whole {
		for _, name := range slices.Sorted(is.Names()) {
			if value := is.Value(name); isField(name) && (was == nil || !bytes.Equal(was.Value(name), value)) {
				c.Written = append(c.Written, Value{Name: name, JSON: value})
			}
		}
		return c, moved || len(c.Written) > 0
	}
	members := membersOf(e.cells)
	for _, name := range sortedNames(members) {
		field, added := strings.CutSuffix(name, "+")
		if isField(name) {
			c.Written = append(c.Written, Value{Name: field, JSON: members[name], Added: added})
		}
	}
	_, within := members[".at"]
	return c, e.step || e.fresh || within || len(c.Written) > 0
}

// position sets the node of a change, and what follows it, by what is saved of the run.
func (c *Change) position(is *codec.Cells) {
	c.Node = text(is, ".at")
	if over := text(is, ".to"); over != "" {
		c.Transition, c.Next, _ = strings.Cut(over, " ")
	} else if text(is, endedCell) != "" { // the last node is in the path alone
		path := listOf(is.Value(".path"))
		for _, transition := range slices.Backward(path) {
			from, to, leads := strings.Cut(transition, ">")
			to, _, _ = strings.Cut(to, "#")
			if leads && to != "end" {
				c.Node = to
				break
			}
			if c.Transition = transition; leads {
				c.Node = from
				break
			}
		}
	} else {
		c.Ended = c.Failed != ""
	}
	if c.Node == "end" {
		c.Node = ""
	}
	if c.Next == "end" {
		c.Next = ""
	}
}

// isField reports whether a cell is a field of the state.
func isField(name string) bool {
	return !strings.HasPrefix(name, own) && !strings.HasPrefix(name, pipelines)
}

// text returns the value of a cell with a text, empty if nothing is saved of it.
func text(c *codec.Cells, name string) (s string) {
	if data := c.Value(name); data != nil {
		codec.Unmarshal(data, codec.Into(&s, codec.ReadString)) // the kernel has written it
	}
	return s
}

// listOf reads a list of texts.
func listOf(data []byte) (list []string) {
	if data != nil {
		codec.Unmarshal(data, codec.Into(&list, func(v *[]string, d *codec.Decoder) { codec.ReadList(v, d, codec.ReadString) }))
	}
	return list
}

// membersOf reads an object.
func membersOf(object []byte) (members map[string][]byte) {
	codec.Unmarshal(object, codec.Into(&members, func(v *map[string][]byte, d *codec.Decoder) { codec.ReadMap(v, d, codec.ReadAny[[]byte]) }))
	return members
}

func sortedNames(members map[string][]byte) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
