package exchange

import (
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/codec"
)

// Written finds what runs have changed of their states since the last event that observers got. It may be used concurrently.
type Written struct {
	mu   sync.Mutex
	runs map[string]map[string]*written // by the ID of the run, and by branch
}

// A written has the fields of a state as events have had them last.
type written struct{ cells codec.Cells }

// Changed returns the fields of the state of a run, or of a branch of it, that differ from those that it returned last, or all where the run begins.
// It is nil where there are none. The state of a served graph lists the fields that events have, unless a thread seals them.
func (w *Written) Changed(run origin.Ref, id, branch string, begins bool) (fields origin.Fields) {
	of, ok := origin.Of(run).(interface {
		CommittedState() any
		Seals() bool
	})
	if !ok || of.Seals() {
		return nil
	}
	shown, ok := of.CommittedState().(interface{ ShownCells(*codec.Cells) })
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil { // a type of the program that cannot write itself
			fields = nil
		}
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs == nil {
		w.runs = map[string]map[string]*written{}
	}
	if w.runs[id] == nil || begins && branch == "" {
		w.runs[id] = map[string]*written{}
	}
	return w.at(w.runs[id], branch).changed(shown.ShownCells)
}

// at returns what is known of a branch, which begins with the state around it.
func (w *Written) at(run map[string]*written, branch string) *written {
	if run[branch] == nil {
		run[branch] = new(written)
		for around := branch; around != ""; {
			around = around[:max(0, strings.LastIndexByte(around, '/'))]
			if of := run[around]; of != nil {
				run[branch].cells.Inherit(&of.cells, func(string) bool { return false })
				break
			}
		}
	}
	return run[branch]
}

// End gives up what is known of a run.
func (w *Written) End(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.runs, id)
}

// changed returns the fields that have changed.
func (w *written) changed(list func(*codec.Cells)) origin.Fields {
	changes, _, err := w.cells.Changes(list)
	if err != nil || len(changes) == 0 {
		return nil
	}
	var members map[string][]byte
	read := func(v *map[string][]byte, d *codec.Decoder) { codec.ReadMap(v, d, codec.ReadAny[[]byte]) }
	if err := codec.Unmarshal(slices.Concat([]byte{'{'}, changes, []byte{'}'}), codec.Into(&members, read)); err != nil {
		return nil
	}
	var all fields
	for name, value := range members {
		field, added := strings.CutSuffix(name, "+")
		all = append(all, origin.Field{Name: field, JSON: value, Added: added})
	}
	slices.SortFunc(all, func(a, b origin.Field) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// fields implement origin.Fields.
type fields []origin.Field

func (f fields) List() []origin.Field { return f }

// EncodeJSON writes the fields.
func (f fields) EncodeJSON(e *codec.Encoder) {
	codec.WriteList(f, e, func(f origin.Field, e *codec.Encoder) {
		if !e.Begin() {
			return
		}
		e.Name("name")
		codec.WriteString(f.Name, e)
		e.Name("value")
		codec.WriteAny(f.JSON, e)
		if f.Added {
			e.Name("added")
			codec.WriteBool(true, e)
		}
		e.End()
	})
}
