package g

import (
	"net/url"

	"github.com/graphgen/graphgen/graph"
)

//graphgen:graph types entry=a codecs=all
type _ struct {
	Types struct {
		Grade graph.Type `graphgen:"enum=low,high"`
		Point struct{ X, Y int }
		Other int
	}
	State struct {
		Ok     []map[string]*Point
		Grade  Grade
		Small  int32
		Keyed  map[int]string
		Fixed  [3]int
		Fn     func(int) bool
		Chan   chan int
		Page   url.URL
		Text   Text
		Level  Level
		Pair   Pair[int]
		Nested Nested
		Lost   Missing
		Inline []struct{ A int }
		Named
	}
	A graph.Func `graphgen:"output=Named; reads=ok"`
}

// Text has no constants.
type Text string

// Level begins with the zero value.
type Level int

const (
	Low Level = iota
	High
)

type Pair[T any] struct{ A, B T }

type Nested struct {
	In struct{ A int }
	E  string `graphgen:"enum=a,b"`
	Text
	hidden func()
}

type Named int

const (
	One   Named = 1
	Uno   Named = 1
	Other Named = 2
)
