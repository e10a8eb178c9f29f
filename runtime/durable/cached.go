package durable

import (
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A cached is a result of a cacheable node, whose members a list names.
type cached[T any] struct {
	key     string
	value   T
	members func(*T, *codec.Object)
}

func (v *cached[T]) JSONMembers(o *codec.Object) {
	o.String("key", &v.key)
	v.members(&v.value, o)
}

// CacheCell lists the results of a cacheable node, whose members a function names. It is for generated code.
func CacheCell[T any](c *codec.Cells, name string, cache *engine.Cache, node engine.NodeID, members func(*T, *codec.Object)) {
	var list []cached[T]
	cache.Each(node, func(key string, value any) { list = append(list, cached[T]{key, value.(T), members}) })
	codec.Tail(c, name, &list, func(v *cached[T], d *codec.Decoder) {
		v.members = members
		codec.ReadMembers(v, d, "a cached result")
	}, func(v cached[T], e *codec.Encoder) { codec.WriteStruct(&v, e) })
	if c.Loading() {
		for _, of := range list {
			cache.Keep(node, of.key, of.value)
		}
	}
}

// Choice lists what a handler has chosen. It is for generated code.
func Choice[T ~uint8 | ~uint16](o *codec.Object, name string, v *T) {
	n := int(*v)
	codec.SparseMember(o, name, &n, codec.ReadInt, codec.WriteInt)
	*v = T(n)
}
