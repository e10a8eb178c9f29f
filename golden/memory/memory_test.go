package memory_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/memory"
	"github.com/graphgen/graphgen/mutation"
)

// list returns a list with room behind its end.
func list[T any](of ...T) []T { return append(make([]T, 0, len(of)+3), of...) }

func page(text string) memory.Page { return memory.Page{Text: text, Lines: list(text)} }

func book(text string) memory.Book {
	cover := page("cover")
	return memory.Book{Pages: list(page(text), page("last")), Index: map[string][]int{text: list(1)}, Cover: &cover}
}

// input returns an input whose lists all have room.
func input() memory.MemoryInput {
	maybe := list("maybe")
	return memory.MemoryInput{
		Log: list("given"), Tags: list("given"), Grid: list(list(1), list(2)), Book: book("given"), Books: list(book("given")),
		Shelf: map[string]memory.Book{"given": book("given")}, Maybe: &maybe,
		Tree:  memory.Tree{Name: "root", Leaves: list("leaf"), Children: list(memory.Tree{Name: "child"})},
		Thing: page("given"), Raw: list[byte](1), Any: list[byte]('1'), Parts: list(memory.Part{Name: "part", Words: list("word")}),
	}
}

// A greedy appends to every list that anything gets, keeps what that gives, and keeps the lists
// that handlers return, with the room behind them.
type greedy struct {
	t *testing.T

	mu    sync.Mutex
	kept  []kept
	tries int
}

// kept is a list as it was when it was kept.
type kept struct {
	where      string
	value, was any
}

// take appends to every list in a value, and holds that none has room.
func (g *greedy) take(where string, v any) {
	g.walk(where, reflect.ValueOf(v), func(where string, l reflect.Value) {
		if l.Cap() > l.Len() {
			g.t.Errorf("%s has %d elements and room for %d", where, l.Len(), l.Cap())
		}
		longer := reflect.Append(l, reflect.Zero(l.Type().Elem()))
		g.keep(where, longer)
	})
}

// give keeps the lists in a value that a handler returns, with what is behind their ends.
func give[T any](g *greedy, where string, v T) T {
	g.walk(where, reflect.ValueOf(v), func(where string, l reflect.Value) {
		g.keep("behind "+where, l.Slice(0, l.Cap()))
	})
	return v
}

func (g *greedy) keep(where string, l reflect.Value) {
	if l.Len() == 0 {
		return
	}
	was := reflect.MakeSlice(l.Type(), l.Len(), l.Len())
	reflect.Copy(was, l)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = append(g.kept, kept{where, l.Interface(), was.Interface()})
}

// walk calls f with every list in a value. A tree within a tree is left out, as docs/reference/types.md says.
func (g *greedy) walk(where string, v reflect.Value, f func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			g.walk(where, v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := where + "." + v.Type().Field(i).Name
			if v.Type() == reflect.TypeFor[memory.Tree]() && v.Type().Field(i).Name == "Children" {
				f(name, v.Field(i))
				continue
			}
			g.walk(name, v.Field(i), f)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			g.walk(where+"["+k.String()+"]", v.MapIndex(k), f)
		}
	case reflect.Slice:
		f(where, v)
		for i := range v.Len() {
			g.walk(where+"["+strconv.Itoa(i)+"]", v.Index(i), f)
		}
	}
}

// check holds that all that was kept is as it was.
func (g *greedy) check() {
	g.t.Helper()
	for _, k := range g.kept {
		if !reflect.DeepEqual(k.value, k.was) {
			g.t.Errorf("%s was %v, and is %v", k.where, k.was, k.value)
		}
	}
}

func (g *greedy) Gather(_ context.Context, in memory.MemoryGatherIn) (memory.MemoryGatherOut, error) {
	g.take("gather", in)
	full := input()
	return give(g, "gather's output", memory.MemoryGatherOut{
		Log: full.Log, Tags: full.Tags, Grid: full.Grid, Book: full.Book, Books: full.Books, Shelf: full.Shelf, Maybe: full.Maybe,
		Tree: full.Tree, Thing: full.Thing, Raw: full.Raw, Any: full.Any, Seen: list("gather"), Picked: list(list("gather")),
	}), nil
}

func (g *greedy) Whole(_ context.Context, out memory.MemoryGatherOut) error {
	g.take("the guard", out)
	return nil
}

func (g *greedy) Extend(_ context.Context, state *memory.MemoryState) error {
	g.take("extend", state)
	full := input()
	state.Log, state.Tags, state.Book, state.Books = list("extended"), full.Tags, full.Book, append(state.Books, full.Books...)
	state.Maybe, state.Thing, state.Grid = full.Maybe, full.Thing, append(state.Grid, list(3))
	give(g, "extend's state", state)
	return nil
}

func (g *greedy) Look(_ context.Context, state memory.MemoryState) error {
	g.take("look", state)
	return nil
}

func (g *greedy) Choose(_ context.Context, state memory.MemoryState) (memory.MemoryChooseGoto, error) {
	g.take("choose", state)
	return memory.MemoryChooseGotoNote, nil
}

func (g *greedy) Note(_ context.Context, in memory.MemoryNoteIn) (memory.MemoryNoteOut, error) {
	g.take("note", in)
	return give(g, "note's output", memory.MemoryNoteOut{Log: list("note"), Seen: list("note"), Picked: list(list("note"))}), nil
}

func (g *greedy) Examine(_ context.Context, state memory.MemoryState) error {
	g.take("examine", state)
	return nil
}

func (g *greedy) Trim(in memory.MemoryTrimIn) (memory.MemoryTrimOut, error) {
	g.take("trim", in)
	return give(g, "trim's output", memory.MemoryTrimOut{Tags: list("trim"), Raw: list[byte](2), Any: list[byte]('2')}), nil
}

func (g *greedy) Left(_ context.Context, in memory.MemoryLeftIn) (memory.MemoryLeftOut, error) {
	g.take("left", in)
	return give(g, "left's output", memory.MemoryLeftOut{Log: list("left"), Seen: list("left"), Grid: list(list(4))}), nil
}

func (g *greedy) More(_ context.Context, in memory.MemoryMoreIn) (memory.MemoryMoreOut, error) {
	g.take("more", in)
	return give(g, "more's output", memory.MemoryMoreOut{Log: list("more"), Picked: list(list("more"))}), nil
}

func (g *greedy) Right(_ context.Context, in memory.MemoryRightIn) (memory.MemoryRightOut, error) {
	g.take("right", in)
	return give(g, "right's output", memory.MemoryRightOut{Log: list("right"), Seen: list("right"), Picked: list(list("right"))}), nil
}

func (g *greedy) One(_ context.Context, in memory.MemoryOneIn) (memory.MemoryOneOut, error) {
	g.take("one", in)
	return give(g, "one's output", memory.MemoryOneOut{Log: list("one"), Seen: list("one")}), nil
}

func (g *greedy) Try(_ context.Context, in memory.MemoryTryIn) (memory.MemoryTryOut, error) {
	g.take("try", in)
	return give(g, "try's output", memory.MemoryTryOut{Log: list("try " + strconv.Itoa(g.tries))}), nil
}

// Fail fails once, so that what was written before is written again.
func (g *greedy) Fail(_ context.Context, in memory.MemoryFailIn) (memory.MemoryFailOut, error) {
	g.take("fail", in)
	g.keep("what the attempt had written", reflect.ValueOf(in.Log))
	if g.tries++; g.tries == 1 {
		return memory.MemoryFailOut{}, errors.New("again")
	}
	return memory.MemoryFailOut{}, nil
}

func (g *greedy) Step(_ context.Context, in memory.MemoryStepIn) (memory.MemoryStepOut, error) {
	g.take("step", in)
	return give(g, "step's output", memory.MemoryStepOut{Log: list("step " + strconv.Itoa(g.tries))}), nil
}

// Stumble fails once, as Fail does.
func (g *greedy) Stumble(_ context.Context, in memory.MemoryStumbleIn) (memory.MemoryStumbleOut, error) {
	g.take("stumble", in)
	g.keep("what the attempt had written", reflect.ValueOf(in.Log))
	if g.tries++; g.tries == 3 {
		return memory.MemoryStumbleOut{}, errors.New("again")
	}
	return memory.MemoryStumbleOut{}, nil
}

func (g *greedy) Sort(_ context.Context, in memory.ShelfSortIn) (memory.ShelfSortOut, error) {
	g.take("sort", in)
	return give(g, "sort's output", memory.ShelfSortOut{Parts: list(memory.Part{Name: "sorted", Words: list("word")}), Names: list("sorted")}), nil
}

func (g *greedy) Change(_ context.Context, in memory.MemoryChangeIn) (memory.MemoryChangeOut, []mutation.Change, error) {
	g.take("change", in)
	if slices.Contains(in.Log, "update") {
		return memory.MemoryChangeOut{}, nil, nil
	}
	log, grid, picked := list("update"), list(list(5)), list(list("update"))
	u := give(g, "the update", memory.MemoryUpdate{Log: &log, Grid: &grid, Picked: &picked})
	return memory.MemoryChangeOut{Log: list("change")}, []mutation.Change{memory.MemoryRetryWith(u)}, nil
}

func (g *greedy) Close(_ context.Context, in memory.MemoryCloseIn) (memory.MemoryCloseOut, error) {
	g.take("close", in)
	return memory.MemoryCloseOut{}, nil
}

func (g *greedy) MergeSeen(have, add []string) []string {
	g.take("merge seen", [][]string{have, add})
	return give(g, "the merged", append(list(have...), add...))
}

func (g *greedy) MergePicked(have, add [][]string) [][]string {
	g.take("merge picked", []any{have, add})
	return give(g, "the merged", append(list(have...), list("merged"), list(strconv.Itoa(len(add)))))
}

// machine returns a machine whose handlers are greedy.
func machine(t *testing.T) (*memory.Memory, *greedy) {
	t.Helper()
	g := &greedy{t: t}
	shelf, err := memory.NewShelf(g)
	if err != nil {
		t.Fatal(err)
	}
	m, err := memory.NewMemory(g, shelf)
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

// watch has observers and hooks be greedy too.
func (g *greedy) watch() graphgen.Option {
	see := func(who string) func(graphgen.Event) {
		return func(e graphgen.Event) {
			if s := graphgen.State[memory.MemoryState](e); s != nil {
				g.take(who+" at "+e.Kind.String()+" of "+e.Node, s)
			}
		}
	}
	hook := func(_ context.Context, e graphgen.Event) error { see("a hook")(e); return nil }
	return graphgen.Options(graphgen.WithObserver(see("an observer")), graphgen.WithHook(graphgen.Hook{Before: hook, After: hook}))
}

// run makes a run to its end, and takes whatever it gives.
func (g *greedy) run(m *memory.Memory, in memory.MemoryInput, opts ...graphgen.RunOption) memory.MemoryOutput {
	g.t.Helper()
	var state memory.MemoryState
	opts = append(opts, graphgen.WithFinalState(&state))
	_, err := m.Run(g.t.Context(), in, opts...)
	p := graphgen.AsPause(err)
	if p == nil {
		g.t.Fatalf("no pause: %v", err)
	}
	g.take("WithFinalState at the pause", state)
	paused, _ := graphgen.StateOf[memory.MemoryState](err)
	g.take("StateOf at the pause", paused)
	out, err := m.Resume(g.t.Context(), p, memory.AnswerMemoryAsk(give(g, "the answer", page("answer"))), graphgen.WithFinalState(&state))
	if err != nil {
		g.t.Fatal(err)
	}
	g.take("WithFinalState at the end", state)
	g.take("the output", out)
	g.take("StateOf at the pause, later", paused)
	return out
}

func TestMemory(t *testing.T) {
	t.Run("what one appends to a list no other sees", func(t *testing.T) {
		m, g := machine(t)
		out := g.run(m, give(g, "the input", input()))
		g.check()
		want := []string{"extended", "note", "left", "more", "right", "one", "one", "one", "one", "one", "one", "try 1", "step 3", "step 4", "change", "update"}
		if !slices.Equal(out.Log, want) {
			t.Errorf("the log is %q", out.Log)
		}
	})

	t.Run("observers and hooks see lists of their own", func(t *testing.T) {
		m, g := machine(t)
		g.run(m, give(g, "the input", input()), g.watch())
		g.check()
	})

	t.Run("two runs of one input share no memory that they write", func(t *testing.T) {
		in := input()
		var runs sync.WaitGroup
		for range 2 {
			runs.Go(func() {
				m, g := machine(t)
				g.run(m, in)
				g.check()
			})
		}
		runs.Wait()
	})

	t.Run("the state of a failed run is handed out as well", func(t *testing.T) {
		m, g := machine(t)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := m.Run(ctx, give(g, "the input", input()), graphgen.WithObserver(func(e graphgen.Event) {
			if e.Node == "fork" {
				cancel()
			}
		}))
		state, ok := graphgen.StateOf[memory.MemoryState](err)
		if !ok {
			t.Fatal(err)
		}
		g.take("StateOf", state)
		g.check()
	})
}
