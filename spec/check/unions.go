package check

import (
	"go/token"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// madePasses judge the types that are made of structs, or are there already.
var madePasses = []Pass{
	{run: unions, Rule: diag.Rule{
		Code: "GG135", Name: "union",
		Doc: "A union is one of several structs of the graph's own package, each under one label. In JSON the label is a member " +
			"next to the fields of the struct, so no variant has a field with the name of the discriminator.",
		Bad: "graph: g\nentry: a\ntypes:\n  Shape: {union: {circle: {radius: float}, name: string}}\nstate: {x: Shape}\ninput: x\nnodes:\n  a: {reads: x}\n",
		Good: "graph: g\nentry: a\ntypes:\n  Shape: {union: {circle: {radius: float}, name: {text: string}}}\nstate: {x: Shape}\n" +
			"input: x\nnodes:\n  a: {reads: x}\n",
	}},
	{run: goTypes, Rule: diag.Rule{
		Code: "GG136", Name: "go-type",
		Doc: "A Go type is named by its import path, a dot, and its exported name; of the graph's own package the name alone " +
			"will do. Its package is not loaded: that the type has the codec methods MarshalJSONTo and UnmarshalJSONFrom, and " +
			"that they are free of reflection, is left to the Go compiler and to its author.",
		Bad:  "graph: g\nentry: a\nstate: {price: {go: ./money.Amount}}\ninput: price\nnodes:\n  a: {reads: price}\n",
		Good: "graph: g\nentry: a\nstate: {price: {go: example.com/shop/money.Amount}}\ninput: price\nnodes:\n  a: {reads: price}\n",
	}},
	{run: goTypesWithoutCodec, Rule: diag.Rule{
		Code: "GG301", Name: "go-type-without-codec",
		Doc: "A Go type is one of the standard library or of graphgen's runtime, and generated code writes or reads it as JSON: " +
			"a model is shown it or answers it, a tool takes or returns it, it is a part of a cache's key, or `codecs: all` asks " +
			"for it. These types do not have the codec methods MarshalJSONTo and UnmarshalJSONFrom, so the generated codecs would not build.",
		Bad:  chatExample("{go: github.com/graphgen/graphgen/runtime/chat.Message}"),
		Good: chatExample("{from: string, text: string}"),
	}},
}

func unions(c *context) {
	c.exprs(func(e *spec.TypeExpr) {
		if e.Kind == spec.TypeUnion && len(e.Variants) == 0 {
			c.report(e.Pos, "the union has no variants", "list them by their labels, as in {union: {circle: Circle, square: Square}}")
		}
	})
	for _, t := range c.graph.Types {
		if t.Kind == resolve.Union {
			c.union(t)
		}
	}
}

func (c *context) union(t *resolve.Type) {
	seen := map[*resolve.Type]resolve.Variant{}
	for _, v := range t.Variants {
		label := "variant " + quote(v.Label) + " of " + t.String()
		if unknown(v.Type) {
			continue
		}
		if v.Type.Kind != resolve.Struct {
			c.report(v.Pos, label+" is "+article(v.Type.String())+", not a struct",
				"write a struct with a field for it, as in "+v.Label+": {value: "+quotedType(v.Type)+"}")
			continue
		}
		if v.Type.Import != t.Import {
			c.report(v.Pos, label+" is a type of another package, which cannot be a variant here",
				"declare the union in the file of its variants, or write a struct with a field for it, as in "+v.Label+": {value: "+v.Type.String()+"}")
			continue
		}
		if was, twice := seen[v.Type]; twice {
			c.report(v.Pos, label+" is "+v.Type.String()+", and so is variant "+quote(was.Label)+": the value alone does not identify the variant",
				"give each label a struct of its own",
				diag.Related{Pos: was.Pos, Message: "the other one is here"})
			continue
		}
		seen[v.Type] = v
		if f := v.Type.Field(t.Discriminator); f != nil {
			c.report(v.Pos, label+" has a field "+quote(f.Name)+", which in JSON is the discriminator",
				"rename the field, or choose another name with discriminator:")
		}
	}
}

// quotedType returns a type as it can be written in a flow mapping.
func quotedType(t *resolve.Type) string {
	if text := t.String(); strings.ContainsAny(text, "[?") {
		return quote(text)
	}
	return t.String()
}

// known are Go types for which the language has a name of its own.
var known = map[string]string{
	"time.Time": "time", "time.Duration": "duration",
	"github.com/go-json-experiment/json/jsontext.Value": "any", "encoding/json/jsontext.Value": "any",
}

func goTypes(c *context) {
	c.exprs(func(e *spec.TypeExpr) {
		if e.Kind != spec.TypeGo || !written(e.Go) {
			return
		}
		name := e.Go.V
		if own := known[name]; own != "" {
			c.report(e.Go.Pos, "the Go type "+quote(name)+" is "+own+" here", "write "+own)
			return
		}
		dot := strings.LastIndexByte(name, '.')
		path, id := "", name
		if dot >= 0 {
			path, id = name[:dot], name[dot+1:]
		}
		help := "write an import path, a dot and the name of a type, as in example.com/shop/money.Amount"
		switch {
		case !token.IsIdentifier(id):
			c.report(e.Go.Pos, quote(name)+" does not end in the name of a type", help)
		case !token.IsExported(id):
			c.report(e.Go.Pos, "the Go type "+quote(id)+" is not exported", "begin its name with a capital letter")
		case dot >= 0 && !importable(path):
			c.report(e.Go.Pos, quote(path)+" is no import path", help)
		}
	})
}

// chatExample is a spec that declares a type, and shows a model a list of it.
func chatExample(message string) string {
	return "graph: g\nentry: a\ntypes:\n  Mood: {enum: [good, bad]}\n  Message: " + message + "\nstate: {messages: \"[]Message\", " +
		"mood: Mood, text: string}\ninput: [messages, mood]\noutput: text\nnodes:\n  a: {kind: prompt, instructions: Answer., " +
		"reads: [messages, mood], writes: text}\n"
}

// goTypesWithoutCodec reports Go types that are known to have no codec, where one is needed.
func goTypesWithoutCodec(c *context) {
	needed := map[string]bool{}
	for t := range c.graph.Codecs() {
		if t.Kind == resolve.External {
			needed[t.Import+"."+t.GoName] = true
		}
	}
	c.exprs(func(e *spec.TypeExpr) {
		if e.Kind != spec.TypeGo || !written(e.Go) || !needed[e.Go.V] || known[e.Go.V] != "" {
			return
		}
		dot := strings.LastIndexByte(e.Go.V, '.')
		if dot < 0 {
			return
		}
		of := ""
		switch path := e.Go.V[:dot]; {
		case path == kernelPath || strings.HasPrefix(path, kernelPath+"/"):
			of = "graphgen's runtime"
		case inStandardLibrary(path):
			of = "the standard library"
		default:
			return
		}
		c.report(e.Go.Pos, "the Go type "+quote(e.Go.V)+" has no codec methods: it is a type of "+of,
			"declare a struct of what the graph needs of it, and convert in the handlers")
	})
}

// kernelPath is the package that generated code links against.
const kernelPath = "github.com/graphgen/graphgen/runtime"

// standardFolders are the folders of the standard library.
var standardFolders = []string{
	"archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding",
	"errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter", "log", "maps", "math", "mime", "net",
	"os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall",
	"testing", "text", "time", "unicode", "unique",
}

func inStandardLibrary(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains(standardFolders, first)
}

// importable reports whether a text can be the import path of a package.
func importable(path string) bool {
	if path == "C" || path == "unsafe" || path == "main" {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".") {
			return false
		}
		for _, r := range part {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
			if !letter && !strings.ContainsRune("-._~+", r) {
				return false
			}
		}
	}
	return true
}
