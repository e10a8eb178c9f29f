package durable

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Relay hands a run over to another process between two steps of the outermost run, where no other run is alive. It saves nothing else: it is for
// engines that drive a run and keep what its steps did. It starts no goroutine.
type Relay struct{ of *relay }

// A relay is the thread of a run that a Relay hands over.
type relay struct {
	engine.Threaded

	options *engine.Applied
	id      string // of the run
	due     func() bool

	before  *log // what was handed over to this process; nil: the run begins here
	adopted bool
	steps   int // that this process has begun
	calls   int // the number of the last call of a model
	image   []byte
	stopper graphgen.Stopper
}

// errHandedOver ends the run in this process.
var errHandedOver = errors.New("the run is handed over to another process")

// Relay returns what hands a run over where due returns true. from is what another process has handed over, nil where the run begins here, with an ID.
// opts are the options of the run; the run has Option alone.
func (m *Machine) Relay(id string, from []byte, due func() bool, opts []graphgen.RunOption) (*Relay, error) {
	y := &relay{options: engine.Apply(m.Options, opts), id: id, due: due}
	if from == nil {
		return &Relay{y}, nil
	}
	v, err := decode(from)
	if err != nil {
		return nil, err
	}
	l := newLog(sealing{})
	l.run, l.calls = v.run, v.calls
	for i := range v.runs {
		if err := l.enter(&v.runs[i], true); err != nil {
			return nil, err
		}
	}
	if _, err := m.upgrade(v.run, l); err != nil {
		return nil, err
	}
	y.before, y.id, y.calls = l, v.run, v.calls
	return &Relay{y}, nil
}

// Option is the option of the run.
func (y *Relay) Option() graphgen.RunOption {
	return option.ForRun[optionset.Settings](func(o *optionset.Settings) { o.Thread = origin.To(engine.Thread(y.of)) })
}

// Image is what was handed over, for the Relay of another process; nil: the run has ended or paused. The error of the run is of no interest then.
func (y *Relay) Image() []byte { return y.of.image }

// Step implements engine.Thread.
func (y *relay) Step(r *engine.Run, b engine.Boundary) error {
	if r.Saved().Place() != "" {
		return nil
	}
	if y.steps++; y.steps == 1 || !y.due() { // the first is where the run begins, or continues
		return nil
	}
	i := r.Image()
	i.Boundary = &b
	s := &saved{fresh: true, made: max(0, i.Made-lastTransitions)}
	cells, _, err := s.changes(r, &i, namesOf(r.Graph()), "")
	if err != nil {
		return err
	}
	v := &record{run: y.id, runs: []entry{{step: true, fresh: true, cells: cells}}, calls: y.calls}
	image, err := v.encode()
	if err != nil {
		return err
	}
	y.image = image
	return errHandedOver
}

// lastTransitions is how much of its path a run keeps.
const lastTransitions = 100

// Adopt implements engine.Thread.
func (y *relay) Adopt(r *engine.Run) (bool, error) {
	if r.Saved().Place() != "" || y.before == nil || y.adopted {
		return false, nil
	}
	y.adopted, y.steps = true, 1
	return true, y.before.adopt("", y.before.of(""), r, namesOf(r.Graph()))
}

// Sets implements engine.Thread.
func (y *relay) Sets(o *optionset.Settings) { o.RunID = y.id }

// Model implements engine.Thread.
func (y *relay) Model(
	_ context.Context, _ *engine.Run, _ *chat.Request, count engine.Counter, call func() (*chat.Response, error),
) (*chat.Response, error) {
	said, err := call()
	y.calls = max(y.calls, count.Number())
	return said, err
}

// Tool implements engine.Thread.
func (y *relay) Tool(_ context.Context, _ *engine.Run, _ int, call func() (chat.ToolResult, error)) (chat.ToolResult, error) {
	return call()
}

// Once implements engine.Thread.
func (y *relay) Once(_ *engine.Run, _ string, call func() ([]byte, error)) ([]byte, error) {
	return call()
}

// Ended implements engine.Thread.
func (y *relay) Ended(_ *engine.Run, err error) error { return err }

// Driven implements engine.Thread.
func (y *relay) Driven() bool { return true }

// Name implements engine.Thread.
func (y *relay) Name() string { return "" }

// Made implements engine.Thread.
func (y *relay) Made() int { return 0 }

// Seals implements engine.Thread.
func (y *relay) Seals() bool { return false }

// Applied implements engine.Thread.
func (y *relay) Applied() *engine.Applied { return y.options }

// Observer implements engine.Thread.
func (y *relay) Observer() func(graphgen.Event) { return nil }

// Failed implements engine.Thread.
func (y *relay) Failed(*engine.Run) error { return nil }

// Begins implements engine.Thread.
func (y *relay) Begins(*engine.Run, engine.Boundary, *engine.Run) {}

// Within implements engine.Thread.
func (y *relay) Within(*engine.Run) {}

// LastCall implements engine.Thread.
func (y *relay) LastCall() int { return y.calls }

// Saved implements engine.Thread.
func (y *relay) Saved(*engine.Run, *chat.Request) bool { return false }

// SavedTool implements engine.Thread.
func (y *relay) SavedTool(*engine.Run, int) bool { return false }

// Asks implements engine.Thread.
func (y *relay) Asks(*graphgen.Request) {}

// Decided implements engine.Thread.
func (y *relay) Decided(string) *engine.Decided { return nil }

// Answered implements engine.Thread.
func (y *relay) Answered(string, engine.Decided) error { return nil }

// Abandoned implements engine.Thread.
func (y *relay) Abandoned() {}

// Stopping implements engine.Thread.
func (y *relay) Stopping() bool { return false }

// Stopper implements engine.Thread.
func (y *relay) Stopper() *graphgen.Stopper { return &y.stopper }
