package scriptdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/testing/mortal"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/seal"
)

// A Death is when processes of a run in a thread end. Each is followed by another, which has the store alone.
type Death string

const (
	Behind Death = "behind" // each record that they save
	Random Death = "random" // some records: before they are saved, behind that, or in transactions whose reply is lost
)

// Threaded are the modes in which scripts are played to a durable graph besides the others.
var Threaded = []Mode{
	{Name: "in a thread, killed behind each record", Asks: 1, Death: Behind},
	{Name: "in a thread, killed at random", Asks: 3, Death: Random},
	{Name: "in a thread that is saved later, killed at random", Death: Random, Saving: thread.Async},
	{Name: "in a thread that is saved at pauses, killed at random", Death: Random, Saving: thread.AtPauses},
	{Name: "in a thread of snapshots, killed at random", Asks: 1, Death: Random, Snapshot: 1},
}

// TimedThreaded are those in which scripts with a schedule are played to such a graph. What a process did in vain takes time, so
// executions take none.
var TimedThreaded = []Mode{
	{Name: "in a thread, at once, killed behind each record", AtOnce: true, Death: Behind},
	{Name: "in a thread, at once, killed at random", AtOnce: true, Death: Random},
	{Name: "in a thread of snapshots, at once, killed at random", AtOnce: true, Death: Random, Snapshot: 1, Threads: 1},
}

// threadName is the name of the thread of a run.
const threadName = "t"

// A store keeps the thread of a run, and ends the processes that make it.
type store struct {
	mortal.Store
	memory *mortal.Memory // has the rows that transactions have written
	keys   *seal.Keys
	death  Death
	rand   *rand.Rand
	deaths int
}

func newStore(mode Mode, script *Script) *store {
	keys, err := seal.New(seal.Key{ID: "1", Bytes: bytes.Repeat([]byte{7}, 16)})
	if err != nil {
		panic(err)
	}
	seed := uint64(script.Break)<<8 | uint64(script.Schedule)
	s := &store{memory: &mortal.Memory{Memory: thread.NewMemory()}, keys: keys, death: mode.Death, rand: rand.New(rand.NewPCG(seed, uint64(len(mode.Name))))}
	s.Transactor, s.Ends = s.memory, s.fate
	return s
}

// Each process reads all that those before it have saved. A run that has outlived often of them is long, and repeats
// itself: from there on it lives on at rare calls for each that kills.
const often, rare = 60, 15

// fate determines how a call that saves records ends. A run that has failed must not continue.
func (s *store) fate(h thread.Head, transacts bool) (how mortal.End) {
	switch {
	case h.Status != thread.Running && h.Status != thread.Completed:
	case s.deaths >= often && s.rand.IntN(rare+1) > 0:
	case s.death == Behind:
		how = mortal.Behind
	default:
		how = []mortal.End{mortal.Lives, mortal.Lives, mortal.Before, mortal.Behind}[s.rand.IntN(4)]
	}
	if transacts && s.death == Random && s.rand.IntN(4) == 0 {
		how = mortal.LostReply
	}
	if !how.Survives() {
		s.deaths++
	}
	return how
}

// inThread has the run made in a thread. The option observes its steps.
func (p *Player) inThread(mode Mode) graphgen.Option {
	p.store = newStore(mode, p.script)
	p.made, p.turns = map[string]*call{}, map[string]int{}
	return graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.NodeStart {
			p.calling.Lock()
			p.step = e.Step
			p.calling.Unlock()
		}
	})
}

// Threads gives the option of a machine that makes the run in a thread; ok is false where it is in none.
func (p *Player) Threads() (in thread.Option, ok bool) {
	if p.store == nil {
		return nil, false
	}
	return thread.With(thread.Settings{Store: p.store, Seal: p.store.keys, Mode: p.mode.Saving, Snapshot: p.mode.Snapshot}), true
}

// InThread makes a run in a thread: each function is called in a process of its own, which makes the machine.
func InThread[O any](p *Player, start, again func(thread string) (O, error)) (O, error) {
	out, err := start(threadName)
	for processes := 1; ; processes++ {
		if !errors.Is(err, mortal.ErrKilled) {
			return out, err
		}
		if processes > mostProcesses {
			p.differ = append(p.differ, fmt.Sprintf("the run does not end in %d processes; its last records are %s", processes, p.store.last(5)))
			return out, err
		}
		p.calling.Lock()
		p.turns = map[string]int{}
		p.calling.Unlock()
		if out, err = again(threadName); is[*thread.NotFoundError](err) { // it ended before its first record
			out, err = start(threadName)
		}
	}
}

// mostProcesses are those that the longest run needs, and many more.
const mostProcesses = 3000

// last returns the last records of the thread.
func (s *store) last(n int) string {
	h, records, err := s.Load(context.Background(), threadName, 0)
	text := fmt.Sprintf("%d records, %v", h.Seq, err)
	for _, r := range records[max(0, len(records)-n):] {
		text += "\n    " + string(r.Data)
	}
	return text
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// A call is one that was made in a thread: another process that executes the same step makes it again.
type call struct {
	entry Entry
	n     int
	given string
}

// again returns the call that an earlier process has made, under an identity that is the same in all processes: who
// calls, in which step and attempt, and which of its calls in the attempt it is. A model's calls are known by what it is shown, as
// those that have given an answer are not made again.
func (p *Player) again(ctx context.Context, name, key, given string) (identity string, made *call) {
	if p.store == nil {
		return "", nil
	}
	at := "step " + strconv.Itoa(p.step)
	if ctx != nil {
		at = graphgen.IdempotencyKey(ctx) + " attempt " + strconv.Itoa(graphgen.Info(ctx).Attempt)
	}
	if identity = key + " " + at; p.models[name] {
		identity += " " + given
	}
	p.turns[identity]++
	identity += " call " + strconv.Itoa(p.turns[identity])
	if made = p.made[identity]; made != nil && made.given != given {
		p.differ = append(p.differ, fmt.Sprintf("%s is given %q, and was given %q", identity, given, made.given))
	}
	return identity, made
}

// kept returns what transactions have written, by handler, and what is wrong with that and with calls that were repeated.
func (p *Player) kept() (rows, wrong []string) {
	if p.store == nil {
		return nil, p.differ
	}
	wrong, times := p.differ, map[string]int{}
	for _, row := range p.store.memory.Rows() {
		if times[row]++; times[row] == 2 {
			wrong = append(wrong, fmt.Sprintf("row %s was written twice", row))
		}
		handler, _, _ := strings.Cut(row, " ")
		rows = append(rows, handler)
	}
	slices.Sort(rows)
	slices.Sort(wrong)
	return rows, wrong
}
