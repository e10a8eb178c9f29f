// Package hostile plays handlers that do whatever the types let them do, and holds runs
// of generated machines to what is proved of them. It is linked into the test binary that
// package mutants builds.
package hostile

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"testing/synctest"

	graphrt "github.com/graphgen/graphgen/runtime"
)

// A Machine is a generated machine and what is proved of it.
type Machine struct {
	Name   string
	Words  []string       // texts that its outputs may hold: names of nodes, keys
	Steps  int            // the most steps of a run
	Visits map[string]int // the most visits, by node
	Run    func(context.Context, *Player, ...graphrt.Option) error
}

// calls is how many handlers a run may call before it counts as endless.
const calls = 200_000

// errRefused is the failure of a handler that fails.
var errRefused = errors.New("hostile")

// A Player is the source of what the handlers of a run do.
type Player struct {
	*rand.Rand
	words []string
	left  int
	wild  float64 // how often a handler fails
}

// Main plays runs of every machine, some wilder than others.
func Main(t *testing.T, runs int, machines ...[]Machine) {
	for _, list := range machines {
		for _, m := range list {
			for i := range runs {
				p := &Player{
					Rand: rand.New(rand.NewPCG(1, uint64(i))), words: append([]string{"", "other"}, m.Words...),
					left: calls, wild: []float64{0, 0.05, 0.3}[i%3],
				}
				if problem := play(t, m, p); problem != "" {
					t.Errorf("%s, run %d: %s", m.Name, i, problem)
					break
				}
			}
		}
	}
}

// play makes one run, in a time of its own, and says what is wrong with it.
func play(t *testing.T, m Machine, p *Player) (problem string) {
	var report graphrt.Report
	var err error
	synctest.Test(t, func(t *testing.T) { err = m.Run(t.Context(), p, graphrt.ReportTo(&report)) })
	if report.Steps > m.Steps {
		return fmt.Sprintf("%d steps, at most %d were proved: %v", report.Steps, m.Steps, report.NodePath())
	}
	for _, n := range report.Nodes {
		if n.Visits > m.Visits[n.Node] {
			return fmt.Sprintf("%d visits of %s, at most %d were proved: %v", n.Visits, n.Node, m.Visits[n.Node], report.NodePath())
		}
	}
	if panicked, ok := errors.AsType[*graphrt.PanicError](err); ok && !excused(panicked) {
		return err.Error()
	}
	return ""
}

// excused reports whether a panic may happen: a handler's, or one of a condition that looks
// at what is not there. That is a matter of data.
func excused(p *graphrt.PanicError) bool {
	_, runtime := p.Value.(interface{ RuntimeError() })
	return p.Value == errRefused || runtime
}

// Call fills what the pointers point to, and fails now and then.
func (p *Player) Call(results ...any) error {
	if p.left--; p.left < 0 {
		fmt.Fprintln(os.Stderr, "a run does not end")
		os.Exit(3)
	}
	if p.Float64() < p.wild {
		switch p.IntN(4) {
		case 0:
			panic(errRefused)
		case 1:
			return graphrt.Transient(errRefused)
		}
		return errRefused
	}
	p.Fill(results...)
	return nil
}

// Fill fills what the pointers point to.
func (p *Player) Fill(to ...any) {
	for _, v := range to {
		p.fill(reflect.ValueOf(v).Elem(), 3)
	}
}

// Guard is the verdict of a guard.
func (p *Player) Guard() error {
	if p.Float64() < max(0.2, p.wild) {
		return graphrt.Reject("no")
	}
	return nil
}

// fill gives a value anything that its type allows, and sometimes what it does not.
func (p *Player) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(p.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(p.IntN(9) - 2))
	case reflect.Float64:
		v.SetFloat(float64(p.IntN(13))/8 - 0.25)
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(p.IntN(constants(v) + 2)))
	case reflect.String:
		v.SetString(p.words[p.IntN(len(p.words))])
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
			v.SetMapIndex(reflect.ValueOf(p.words[p.IntN(len(p.words))]), item)
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
