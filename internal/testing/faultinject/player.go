package faultinject

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

const (
	calls = 200_000 // of handlers and models: a run that makes more counts as endless

	long   = 10_000 // steps: a run that may make more, with its child runs, is cancelled
	enough = 2_000  // calls: after so many
)

// errRefused is the failure of a handler that fails.
var errRefused = errors.New("hostile")

// A Player is the source of what the handlers, tools and models of a run do.
type Player struct {
	*rand.Rand
	run    string // the machine and the number of the run
	of     *Machine
	long   bool // the run may take too many steps to wait for its end
	words  []string
	left   atomic.Int64
	wild   float64 // how often a handler fails
	cancel context.CancelFunc

	watching []graphgen.ResumeOption // what of the options ends with a call

	asked atomic.Int64 // how often the model was, but to make a text short

	mu      sync.Mutex // branches run at once
	problem string     // what the run did wrong to the player
	events  events
}

// A source is one that several goroutines draw from.
type source struct {
	mu  sync.Mutex
	pcg *rand.PCG
}

// Uint64 draws.
func (s *source) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pcg.Uint64()
}

func newPlayer(m *Machine, number uint64, wild float64) *Player {
	p := &Player{run: fmt.Sprintf("%s, run %d", m.Name, number), of: m, long: m.AllSteps > long,
		Rand: rand.New(&source{pcg: rand.NewPCG(1, number)}), words: append([]string{"", "other", said}, m.Words...), wild: wild,
		events: events{open: map[string]int{}}}
	p.left.Store(calls)
	if wild > 0.1 {
		p.words = append(p.words, "no \xff text", strings.Repeat("много ", 700), "{{x}}", `"}`)
	}
	return p
}

// wrong notes what the run did wrong, of several things the first.
func (p *Player) wrong(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.problem == "" {
		p.problem = fmt.Sprintf(format, args...)
	}
}

// count counts a call. It cancels a long run, and ends the program when a run does not end.
func (p *Player) count() {
	switch left := p.left.Add(-1); {
	case left < 0:
		fmt.Fprintf(os.Stderr, "%s does not end\n", p.run)
		os.Exit(3)
	case left == calls-enough && p.long:
		p.cancel()
	}
}

// Call fills what the pointers point to, and fails now and then.
func (p *Player) Call(ctx context.Context, results ...any) error {
	p.count()
	if p.Float64() < p.wild {
		switch p.IntN(13) {
		case 0, 1, 2:
			panic(errRefused)
		case 3, 4, 5:
			return graphgen.Transient(errRefused)
		case 6:
			linger()
		case 7:
			p.cancel()
		case 8:
			return wait(ctx)
		default:
			return errRefused
		}
	}
	p.Fill(results...)
	return nil
}

// linger waits without regard to a context.
func linger() { <-time.After(2 * time.Minute) }

// Fill fills what the pointers point to.
func (p *Player) Fill(to ...any) {
	for _, v := range to {
		p.fill(reflect.ValueOf(v).Elem(), 3)
	}
}

// Guard is the verdict of a guard.
func (p *Player) Guard() error {
	switch {
	case p.Float64() < max(0.2, p.wild):
		return graphgen.Reject("no")
	case p.Float64() < p.wild/10:
		panic(errRefused)
	}
	return nil
}

// Prompt is a processor of prompts.
func (p *Player) Prompt(to *pipeline.Prompt) error {
	switch {
	case p.Float64() < p.wild:
		return p.Call(context.Background())
	case p.IntN(2) == 0:
		to.System, to.Reads = nil, nil
	default:
		to.User.String(p.word())
	}
	return nil
}

// Answer is a processor of answers.
func (p *Player) Answer(a *pipeline.Answer) error {
	if p.Float64() < p.wild {
		a.Text = p.word()
		return p.Call(context.Background())
	}
	return nil
}

// Tool fills the result of a tool, and fails as tools may. It may be called by several
// goroutines at once: what it does depends on the call alone.
func (p *Player) Tool(ctx context.Context, out any) error {
	key := fnv.New64()
	fmt.Fprintf(key, "%s %T", graphgen.IdempotencyKey(ctx), out)
	q := &Player{Rand: rand.New(rand.NewPCG(2, key.Sum64())), words: p.words, wild: p.wild}
	if text, ok := out.(*string); ok && q.Float64() < q.wild/4 {
		*text = strings.Repeat("huge ", 10_000)
		return nil
	}
	if q.Float64() >= max(0.02, q.wild) {
		q.Fill(out)
		return nil
	}
	switch q.IntN(9) {
	case 0:
		panic(errRefused)
	case 1:
		return graphgen.Transient(errRefused)
	case 2:
		return chat.Fatal(errRefused)
	case 3:
		return chat.Fatal(graphgen.Transient(errRefused))
	case 4:
		linger()
		return ctx.Err()
	case 5:
		return wait(ctx)
	case 6:
		return nil // the zero value
	case 7:
		q.Fill(out) // beside an error
	}
	return errRefused
}

// wait waits for the end of the context if it has a deadline.
func wait(ctx context.Context) error {
	if _, ok := ctx.Deadline(); !ok {
		return errRefused
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *Player) word() string { return p.words[p.IntN(len(p.words))] }

// fill gives a value anything that its type allows, and sometimes what it does not.
func (p *Player) fill(v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[chat.Message]() && p.IntN(4) > 0 { // most messages are such as conversations have
		roles := []chat.Role{chat.RoleUser, chat.RoleAssistant}
		v.Set(reflect.ValueOf(chat.Message{Role: roles[p.IntN(2)], Text: "a " + p.word()}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(p.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(p.IntN(9) - 2))
	case reflect.Float64:
		v.SetFloat(float64(p.IntN(13))/8 - 0.25)
		if p.Float64() < p.wild/10 {
			v.SetFloat(math.Inf(1))
		}
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(p.IntN(constants(v) + 2)))
	case reflect.String:
		v.SetString(p.word())
	case reflect.Pointer:
		if depth > 0 && p.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			p.fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				p.fill(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		if depth == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), p.IntN(3), 4))
		for i := range v.Len() {
			p.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range p.IntN(3) * min(depth, 1) {
			item := reflect.New(v.Type().Elem()).Elem()
			p.fill(item, depth-1)
			v.SetMapIndex(reflect.ValueOf(p.word()), item)
		}
	}
}

// constants counts the constants of a generated enum.
func constants(v reflect.Value) int {
	probe := reflect.New(v.Type()).Elem()
	n := 0
	for ; n < 100; n++ {
		probe.SetUint(uint64(n + 1))
		name, ok := probe.Interface().(fmt.Stringer)
		if !ok || name.String() == "" || name.String() == "unknown" {
			return n
		}
	}
	return n
}
