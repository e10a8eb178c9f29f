package harness

import "reflect"

// Merge implements a custom merge function: it applies the rule that the scenario file names
// for the field of the graph.
func Merge[T any](s *Script, graph, field string, have, add T) T {
	rules := s.scenario.Merges
	if graph != s.scenario.Root {
		rules = s.scenario.Nested[graph].Merges
	}
	merge, ok := merges[rules[field]]
	if !ok {
		panic("no merge rule for " + field)
	}
	return merge(reflect.ValueOf(&have).Elem(), reflect.ValueOf(&add).Elem()).Interface().(T)
}

// merges are the rules of merging, on the types they are allowed for.
var merges = map[string]func(have, add reflect.Value) reflect.Value{
	"last":   func(_, add reflect.Value) reflect.Value { return add },
	"append": func(have, add reflect.Value) reflect.Value { return reflect.AppendSlice(clip(have), add) },
	"union":  union,
	"sum":    sum,
	"max":    func(have, add reflect.Value) reflect.Value { return extreme(have, add, 1) },
	"min":    func(have, add reflect.Value) reflect.Value { return extreme(have, add, -1) },
}

func clip(list reflect.Value) reflect.Value { return list.Slice3(0, list.Len(), list.Len()) }

func union(have, add reflect.Value) reflect.Value {
	if have.Kind() == reflect.Map {
		out := reflect.MakeMap(have.Type())
		for _, m := range []reflect.Value{have, add} {
			for _, key := range m.MapKeys() {
				out.SetMapIndex(key, m.MapIndex(key))
			}
		}
		return out
	}
	out := clip(have)
	for i := range add.Len() {
		if !holds(out, add.Index(i)) {
			out = reflect.Append(out, add.Index(i))
		}
	}
	return out
}

func holds(list, item reflect.Value) bool {
	for i := range list.Len() {
		if reflect.DeepEqual(list.Index(i).Interface(), item.Interface()) {
			return true
		}
	}
	return false
}

func sum(have, add reflect.Value) reflect.Value {
	out := reflect.New(have.Type()).Elem()
	if have.CanInt() {
		out.SetInt(have.Int() + add.Int())
	} else {
		out.SetFloat(have.Float() + add.Float())
	}
	return out
}

// extreme returns the greater of two numbers, or the lesser where sign is -1. An absent
// optional is neither.
func extreme(have, add reflect.Value, sign float64) reflect.Value {
	if have.Kind() == reflect.Pointer {
		if add.IsNil() || !have.IsNil() && !beats(add.Elem(), have.Elem(), sign) {
			return have
		}
		return add
	}
	if beats(add, have, sign) {
		return add
	}
	return have
}

func beats(a, b reflect.Value, sign float64) bool {
	if a.CanInt() {
		return a.Int() != b.Int() && (a.Int() > b.Int()) == (sign > 0)
	}
	return sign*a.Float() > sign*b.Float()
}
