package durable

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/caught"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A saved is what is saved of one run of the tree.
type saved struct {
	cells   codec.Cells
	made    int // transitions of the path that are saved
	effects map[string][]byte
	try     [2]int // the attempt and the iteration at which calls of models are counted
	calls   int    // of models, in it
	noted   bool   // the run is saved as within its node, in this try
	inside  bool   // the run is saved as within its node
	attempt int    // that is saved with it
	fresh   bool   // the next entry of the run is its first one
	stale   bool   // what is saved at its place is of an earlier attempt

	transactions int  // that the step has made
	hides        bool // cells that are sealed are apart
	secret       bool // the graph has secret fields
}

// A log is what the records of a thread add up to.
type log struct {
	runs     map[string]*saved
	verdicts map[string]verdict
	open     map[string]openRequest
	run      string
	input    string    // a hash of its input; empty: it is not known
	earlier  []pastRun // of the thread, which were given IDs
	pausesAt pausesAt
	calls    int    // the number of the last call of a model
	ended    string // the reason why the last record ends the run; empty: it does not
	failure  string // with which it does
	back     uint64 // of the last record, as the record has it
	chain    string // the hash of the last record
	size     int    // bytes after the last snapshot
	snapshot int    // bytes of it
	sealing
}

func newLog(by sealing) *log {
	return &log{runs: map[string]*saved{}, verdicts: map[string]verdict{}, open: map[string]openRequest{}, sealing: by}
}

// replay adds up records, of which the first one is a snapshot.
func replay(id string, records []thread.Record, by sealing) (*log, error) {
	l := newLog(by)
	for i := range records {
		if err := l.add(&records[i], i == 0); err != nil {
			return nil, &thread.StoreError{Thread: id, Seq: records[i].Seq, Err: err}
		}
	}
	return l, nil
}

// loaded returns what the records of a thread add up to through one.
func loaded(ctx context.Context, s thread.Store, id string, seq uint64, by sealing) (*log, thread.Head, []thread.Record, error) {
	head, records, err := thread.Guard(s).Load(ctx, id, seq)
	if err != nil {
		return nil, head, nil, err
	}
	l, err := replay(id, records, by)
	return l, head, records, err
}

// add adds a record.
func (l *log) add(r *thread.Record, first bool) error {
	v, err := decode(r.Data)
	if err != nil {
		return err
	}
	if !first && v.before != l.chain {
		return errChain
	}
	if !l.blind {
		if err := v.openBy(l.by, r.Seq); err != nil {
			return err
		}
		l.seals = l.seals || v.sealed != nil // of an earlier version with secret fields: what it has sealed stays so
	}
	if r.Snapshot {
		*l = *newLog(l.sealing)
		l.run, l.input, l.earlier, l.pausesAt, l.snapshot = v.run, v.input, v.earlier, v.pausesAt, len(r.Data)
	} else {
		l.size += len(r.Data)
	}
	l.chain, l.ended, l.failure, l.back, l.calls = digest(r.Data), v.ended, v.failure, v.back, max(l.calls, v.calls)
	for i := range v.runs {
		if err := l.enter(&v.runs[i], r.Snapshot); err != nil {
			return err
		}
	}
	for _, e := range v.effects {
		l.of(e.place).effects[e.key] = e.json
	}
	for _, d := range v.verdicts {
		l.verdicts[d.id] = d
	}
	if v.closed {
		clear(l.open)
	}
	for _, q := range v.open {
		l.open[q.id] = q
	}
	return nil
}

// enter adds the changes of one run.
func (l *log) enter(e *entry, whole bool) error {
	if e.fresh {
		l.begin(e.place)
	}
	s := l.of(e.place)
	if e.step && !whole {
		l.steps(e.place, s)
	}
	if e.again {
		l.drop(e.place)
	}
	if len(e.hidden) > 0 {
		if err := s.cells.TakeHidden(e.hidden); err != nil {
			return err
		}
	}
	return s.cells.Take(e.cells)
}

// begin makes the run at a place a new one: a child run has the state of the run around it.
func (l *log) begin(place string) *saved {
	delete(l.runs, place)
	l.drop(place)
	s := l.of(place)
	if at := strings.LastIndexByte(place, '/'); at >= 0 && at < len(place)-1 {
		if parent := l.runs[place[:at]]; parent != nil {
			s.cells.Inherit(&parent.cells, func(name string) bool { return strings.HasPrefix(name, own) && name != shapeCell })
		}
	}
	return s
}

// steps notes that a run has ended a step: its child runs are gone, and what the runs around it did in their nodes is
// over.
func (l *log) steps(place string, s *saved) {
	l.drop(place)
	clear(s.effects)
	s.calls, s.transactions, s.noted, s.inside = 0, 0, false, false
	if place == "" {
		clear(l.verdicts)
		clear(l.open)
	}
	for around := range l.runs {
		if len(around) < len(place) && strings.HasPrefix(place, around+"/") {
			parent := l.runs[around]
			clear(parent.effects)
			parent.calls = 0
		}
	}
}

// of returns what is saved of the run at a place.
func (l *log) of(place string) *saved {
	s := l.runs[place]
	if s == nil {
		s = &saved{effects: map[string][]byte{}}
		l.runs[place] = s
	}
	return s
}

// drop forgets the runs within the one at a place.
func (l *log) drop(place string) {
	for p := range l.runs {
		if len(p) > len(place) && strings.HasPrefix(p, place+"/") {
			delete(l.runs, p)
		}
	}
}

// hasSteps reports whether the run itself is saved, and not just what its first step has done.
func (s *saved) hasSteps() bool {
	return s.cells.Value(atCell) != nil
}

// adopt makes the run at a place continue where it was saved.
func (l *log) adopt(place string, s *saved, r *engine.Run, n *names) error {
	if changed, err := s.changeGraph(r, n); err != nil {
		return err
	} else if changed {
		n = namesOf(r.Graph())
	}
	v := &image{n: n}
	if err := v.load(&s.cells); err != nil {
		return err
	}
	if c, ok := r.ViewerOf().(Record); ok {
		if err := s.loadState(c); err != nil {
			return err
		}
	}
	s.made, s.noted, s.transactions = v.Made, false, 0
	s.inside, s.attempt = v.Boundary == nil, v.Attempts
	if v.Boundary == nil { // the attempt was saved with its transaction
		s.transactions = s.lastTransaction()
		if err := l.countChildren(place, v.Image); err != nil {
			return err
		}
	}
	r.Load(v.Image, v.transitions())
	return nil
}

// countChildren counts what the runs within the one at a place have done, if no other run of its graph is around it.
func (l *log) countChildren(place string, i *engine.Image) error {
	if place != "" && !strings.HasSuffix(place, "/") {
		return nil
	}
	for p, s := range l.runs {
		rest, within := strings.CutPrefix(p, place+"/")
		if !within || !s.hasSteps() {
			continue
		}
		var of engine.Image
		if err := s.cells.Load(func(c *codec.Cells) { codec.Cell(c, ".run", &of, readKernel, nil) }); err != nil {
			return err
		}
		if !strings.Contains(rest+"/", "//") { // else it is of another machine
			if i.ChildSteps += of.Made; s.hasLeftItsNodes() {
				i.ChildSteps-- // its last transition is not a step
			}
		}
		i.ChildUse.Usage, i.ChildUse.Tools = i.ChildUse.Usage.Add(of.Usage), i.ChildUse.Tools.Add(of.Tools)
		i.ChildUse.ModelCalls += of.ModelCalls
	}
	return nil
}

// hasLeftItsNodes reports whether the last transition of the run leads to no node.
func (s *saved) hasLeftItsNodes() bool {
	path := listOf(s.cells.Value(".path"))
	if len(path) == 0 {
		return false
	}
	_, to, leads := strings.Cut(path[len(path)-1], ">")
	to, _, _ = strings.Cut(to, "#")
	return !leads || to == "end"
}

// lastTransaction returns the number of the last transaction of the step; 0 without one.
func (s *saved) lastTransaction() (last int) {
	for key := range s.effects {
		if number, ok := strings.CutPrefix(key, transactionKey); ok {
			n, _ := strconv.Atoi(number)
			last = max(last, n)
		}
	}
	return last
}

// loadState reads what the generated code has of a run.
func (s *saved) loadState(to Record) error {
	if err := load(&s.cells, to.Cells); err != nil {
		return err
	}
	for name := range s.cells.Unread() {
		if isField(name) {
			return missing("field", name)
		}
	}
	return nil
}

// load reads cells into what a function lists. A panic is of a type of the state.
func load(c *codec.Cells, list func(*codec.Cells)) (err error) {
	defer caught.Panic(&err)
	return c.Load(list)
}

// A Record is a generated run of a durable graph. It has a method Versions, too, where the graph has releases.
type Record interface{ Cells(*codec.Cells) }

// changes returns what has changed of a run, and what of it is sealed, and counts it as saved.
func (s *saved) changes(r *engine.Run, i *engine.Image, n *names, failed string) (changes, hidden []byte, err error) {
	defer caught.Panic(&err) // of a type of the state
	v := imageOf(i, n)
	v.failed = failed
	return s.cells.Changes(func(c *codec.Cells) {
		v.cells(c)
		overlayCells(c, r, n)
		s.path(c, r, i, n)
		if g, ok := r.ViewerOf().(Record); ok {
			c.Empties(s.fresh && strings.HasSuffix(r.Saved().Place(), "/")) // a run of another machine began with an input, which is not saved
			g.Cells(c)
			c.Empties(false)
		}
	})
}

// path saves the transitions that are new.
func (s *saved) path(c *codec.Cells, r *engine.Run, i *engine.Image, n *names) {
	from := s.made
	if i.Made < s.made { // the last one was taken back
		from = 0
	}
	transitions, _ := r.Path().Since(from)
	list := make([]string, len(transitions))
	for k, transition := range transitions {
		list[k] = n.nameOf(transition)
	}
	if from < s.made {
		codec.Cell(c, ".path", &list, nil, func(l []string, e *codec.Encoder) { codec.WriteList(l, e, codec.WriteString) })
	} else {
		codec.Grow(c, ".path", list, codec.WriteString)
	}
	s.made = i.Made
}

// everything makes a record have all that is saved.
func (l *log) everything(to *record) {
	to.runs, to.effects, to.verdicts = nil, nil, nil
	for _, place := range slices.Sorted(maps.Keys(l.runs)) {
		s := l.runs[place]
		if !s.fresh || place == "" { // of another one, only effects are saved yet
			cells, hidden := s.cells.Whole()
			to.runs = append(to.runs, entry{place: place, cells: cells, hidden: hidden})
		}
		for _, key := range slices.Sorted(maps.Keys(s.effects)) {
			to.effects = append(to.effects, effect{place, key, s.effects[key]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.verdicts)) {
		to.verdicts = append(to.verdicts, l.verdicts[id])
	}
	if to.closed {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(l.open)) {
		to.open = append(to.open, l.open[id])
	}
}
