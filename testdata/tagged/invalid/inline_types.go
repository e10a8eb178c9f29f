package inline_types

import (
	"time"

	"github.com/graphgen/graphgen/graph"
)

type Step struct{ N int }

//graphgen:graph inline_types entry=a
type _ struct {
	State struct {
		Score int    `graphgen:"type=string"`
		Grade string `graphgen:"default=low; enum=low,high"`
		Lang  any    `graphgen:"default=go; enum=go,rust"`
		Kind  string `graphgen:"default=enum"`

		Name string          `graphgen:"type=string; min_length=1"`
		Note *string         `graphgen:"type=?string"`
		Tags []string        `graphgen:"default=[]; type=[]string"`
		Sums map[string]int  `graphgen:"type=map[string]int"`
		Took time.Duration   `graphgen:"type=duration"`
		Step Step            `graphgen:"type=Step"`
		Wide int64           `graphgen:"type=int"`
		Body struct{ N int } `graphgen:"type=Body"`
		Many []string        `graphgen:"type=string"`
	} `graphgen:"output=score,grade,lang,kind,name,note,tags,sums,took,step,wide,body,many"`

	A graph.Func `graphgen:"writes=score,grade,lang,kind,name,note,tags,sums,took,step,wide,body,many"`
}
