package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
)

// emitUnion prints the codec of a union: two functions, as an interface has no methods of its own.
func (c *codecs) emitUnion(codec *plan.Codec) {
	t := codec.Type
	if codec.Table == "" {
		return
	}
	var labels []string
	for _, v := range t.Variants {
		labels = append(labels, v.Label)
	}
	c.emitTable(codec, "Union", entry("Discriminator", jen.Lit(t.Discriminator)), entry("Labels", list(labels)))
	c.print("union codec", codec)
}
