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
	{Code: "GG135", run: unions},
	{Code: "GG136", run: goTypes},
	{Code: "GG301", run: goTypesWithoutCodec},
}

func unions(c *context) {
	c.exprs(func(e *spec.TypeExpr) {
		if e.Kind == spec.TypeUnion && len(e.Variants) == 0 {
			c.report(e.Pos, "the union has no variants", "list them by their labels, as in "+diag.Item("{union: {circle: Circle, square: Square}}"))
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
				"write a struct with a field for it, as in "+diag.Declare(v.Label, "{value: "+quotedType(v.Type)+"}"))
			continue
		}
		if v.Type.Import != t.Import {
			c.report(v.Pos, label+" is a type of another package, which cannot be a variant here",
				"declare the union in the file of its variants, or write a struct with a field for it, as in "+
					diag.Declare(v.Label, "{value: "+v.Type.String()+"}"))
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
				"rename the field, or choose another name with "+diag.Key("discriminator"))
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
			c.report(e.Go.Pos, quote(path)+" is not an import path", help)
		}
	})
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
		case inRuntime(path):
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

// runtimeFolders are the folders of the packages that generated code links against, beside package graphgen.
var runtimeFolders = []string{"chat", "hooks", "internal", "mutation", "prelude", "runtime", "thread"}

// inRuntime reports whether generated code links against the package of a path, or the package may be linked beside it.
func inRuntime(path string) bool {
	inside, ours := strings.CutPrefix(path, "github.com/graphgen/graphgen")
	first, _, _ := strings.Cut(strings.TrimPrefix(inside, "/"), "/")
	return ours && (inside == "" || inside[0] == '/' && slices.Contains(runtimeFolders, first))
}

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
