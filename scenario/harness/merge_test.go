package harness

import (
	"reflect"
	"testing"

	"github.com/graphgen/graphgen/scenario/wire"
)

func merged[T any](rule string, have, add T) T {
	s := &Script{scenario: &wire.Scenario{Merges: map[string]string{"field": rule}}}
	return Merge(s, "", "field", have, add)
}

func TestStandInMerges(t *testing.T) {
	one, two := 1, 2
	for name, c := range map[string]struct{ got, want any }{
		"last takes what is added":             {merged("last", "a", "b"), "b"},
		"append keeps order and repeats":       {merged("append", []int{1}, []int{2, 1}), []int{1, 2, 1}},
		"union adds what is missing":           {merged("union", []int{1, 2}, []int{3, 2, 3}), []int{1, 2, 3}},
		"union of maps prefers what is added":  {merged("union", map[string]int{"a": 1, "b": 1}, map[string]int{"b": 2}), map[string]int{"a": 1, "b": 2}},
		"sum adds ints":                        {merged("sum", 2, 3), 5},
		"sum adds floats":                      {merged("sum", 0.5, 0.25), 0.75},
		"max takes the greater":                {merged("max", 2, 3), 3},
		"max keeps the greater":                {merged("max", 2.5, 0.5), 2.5},
		"min takes the lesser":                 {merged("min", 2, -3), -3},
		"min keeps the lesser":                 {merged("min", 1, 1), 1},
		"max of optionals takes what is there": {merged("max", nil, &one), &one},
		"max of optionals keeps what is there": {merged("max", &one, nil), &one},
		"max of optionals takes the greater":   {merged("max", &one, &two), &two},
		"min of nothing is nothing":            {merged[*int]("min", nil, nil), (*int)(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
}

func TestAppendLeavesTheArrayAlone(t *testing.T) {
	have := make([]int, 1, 4)
	merged("append", have, []int{7})
	if got := have[:2][1]; got != 0 {
		t.Errorf("the array beyond the list holds %d", got)
	}
}
