package exchange

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/codec"
)

// NewWritten returns a Written that knows nothing of the state.
func NewWritten() origin.Written { return new(written) }

// A written has the fields of a state as events have had them last.
type written struct{ cells codec.Cells }

// Changed implements origin.Written. The state of a served graph lists the fields that events have; a field without JSON has none.
func (w *written) Changed(state any) []origin.Field {
	shown, ok := state.(interface{ ShownCells(*codec.Cells) })
	if !ok {
		return nil
	}
	changes, _, err := w.cells.Changes(shown.ShownCells)
	if err != nil || len(changes) == 0 {
		return nil
	}
	var members map[string][]byte
	read := func(v *map[string][]byte, d *codec.Decoder) { codec.ReadMap(v, d, codec.ReadAny[[]byte]) }
	if err := codec.Unmarshal(slices.Concat([]byte{'{'}, changes, []byte{'}'}), codec.Into(&members, read)); err != nil {
		return nil
	}
	var list []origin.Field
	for name, value := range members {
		field, added := strings.CutSuffix(name, "+")
		list = append(list, origin.Field{Name: field, JSON: value, Added: added})
	}
	slices.SortFunc(list, func(a, b origin.Field) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Branch implements origin.Written.
func (w *written) Branch() origin.Written {
	b := new(written)
	b.cells.Inherit(&w.cells, func(string) bool { return false })
	return b
}
