// Package goname turns names of the spec into Go identifiers. No other package does, so checks and
// generated code agree on every name.
package goname

import (
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are the words that Go writes in capitals.
var initialisms = map[string]bool{
	"api": true, "ascii": true, "cpu": true, "css": true, "csv": true, "db": true, "dns": true,
	"eof": true, "html": true, "http": true, "https": true, "id": true, "ids": true, "io": true, "ip": true,
	"json": true, "llm": true, "mcp": true, "os": true, "pr": true, "qps": true, "ram": true, "rpc": true,
	"sql": true, "ssh": true, "tcp": true, "tls": true, "ttl": true, "udp": true, "ui": true,
	"uid": true, "uri": true, "url": true, "utf8": true, "uuid": true, "xml": true, "yaml": true,
}

// Exported returns the exported Go identifier for a name of the spec: create_pr becomes CreatePR.
func Exported(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		lower := strings.ToLower(word)
		switch {
		case lower == "ids":
			b.WriteString("IDs")
		case initialisms[lower]:
			b.WriteString(strings.ToUpper(word))
		default:
			r, n := utf8.DecodeRuneInString(word)
			b.WriteRune(unicode.ToUpper(r))
			b.WriteString(word[n:])
		}
	}
	return b.String()
}

// Unexported returns the unexported Go identifier for a name of the spec: create_pr
// becomes createPR, URL becomes url. A keyword gets an underscore.
func Unexported(name string) string {
	all := words(name)
	if len(all) == 0 {
		return ""
	}
	first := all[0]
	if initialisms[strings.ToLower(first)] {
		first = strings.ToLower(first)
	} else {
		r, n := utf8.DecodeRuneInString(first)
		first = string(unicode.ToLower(r)) + first[n:]
	}
	id := first + Exported(strings.Join(all[1:], "_"))
	if token.IsKeyword(id) {
		id += "_"
	}
	return id
}

// Valid reports whether a name of the spec can become a Go identifier: ASCII letters,
// digits, _ and -, with a letter in front.
func Valid(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != ""
}

// Import guesses the name of a package from its import path: the last element that is not a major
// version, without customary prefixes and suffixes.
func Import(importPath string) string {
	base := path.Base(importPath)
	if dir := path.Dir(importPath); isMajor(base) && dir != "." {
		base = path.Base(dir)
	}
	base = strings.TrimPrefix(strings.TrimSuffix(base, ".go"), "go-")
	if name, version, ok := strings.Cut(base, "."); ok && isMajor(version) {
		base = name // gopkg.in/yaml.v3
	}
	return strings.TrimLeft(strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, base), "0123456789")
}

// isMajor reports whether an element of an import path is a major version.
func isMajor(part string) bool {
	digits, ok := strings.CutPrefix(part, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// The names under which generated files import the packages that they link against. Go gives
// a file's imports and the declarations of its package one scope: a name that a package of
// the user declares, such as chat, must not be one of them.
const (
	Kernel   = "gg"
	Engine   = "ggengine"
	Chat     = "ggchat"
	ChatJSON = "ggchatjson"
	Codec    = "ggcodec"
	Pipeline = "ggpipeline"
	Media    = "ggmedia"
	Mutation = "ggmutation"
	Durable  = "ggdurable"
	Thread   = "ggthread"
	JSONText = "ggjsontext"
	Versions = "ggversions"
	Temporal = "ggtemporal"
)

// locals are the names that generated functions use for parameters, variables and packages: where they refer to a package of that name, it
// would be hidden.
var locals = []string{
	Kernel, Engine, Chat, ChatJSON, Codec, Pipeline, Media, Mutation, Durable, Thread, JSONText, Versions, Temporal,
	"acts", "add", "answer", "args", "at", "b", "c", "call", "changes", "cmp", "context", "count", "ctx", "d", "e", "err", "evals", "events", "h",
	"harness", "have", "i", "in", "k", "kept", "key", "label", "m", "n", "name", "next", "number", "o", "ok", "opts", "out", "p", "policy", "q",
	"question", "r", "record", "res", "result", "s", "slices", "state", "t", "task", "testing", "time", "to", "tool", "transition", "u", "update", "v",
	"value", "x",
}

// Imported are the names of the packages that all generated files may import.
var Imported = []string{Kernel, Engine, Chat, ChatJSON, Codec, Pipeline, Media, Mutation, Durable, Thread, JSONText, Versions, Temporal, "context"}

// Standard are the names of the standard packages that generated files import when needed.
var Standard = []string{"iter", "math", "slices", "strconv", "strings", "time", "utf8"}

// Predeclared are the predeclared Go identifiers that all generated code may use.
var Predeclared = []string{
	"any", "append", "bool", "byte", "error", "false", "float64", "int", "iota", "len", "make", "new", "nil", "string", "true",
	"uint16", "uint32", "uint8",
}

// WhereUsed are the predeclared Go identifiers that generated code uses for some graphs: for merge rules, and in expressions of the author.
var WhereUsed = []string{"cap", "float32", "int16", "int32", "int64", "int8", "max", "min", "rune", "uint", "uint64"}

// Hiding are the names of generated variables in functions that refer to types of the graph. Such a
// variable would hide an unexported type of the same name.
var Hiding = []string{
	"acts", "answer", "args", "b", "c", "call", "changes", "ctx", "d", "e", "err", "evals", "h", "i", "in", "label", "m", "name", "next",
	"number", "o", "ok", "opts", "out", "p", "policy", "q", "question", "r", "record", "res", "result", "s", "state", "t", "task", "to", "tool",
	"transition", "u", "update", "v",
}

// Package reports whether a use of a file can have the name, which becomes the name of a package.
func Package(name string) bool {
	return Valid(name) && name == strings.ToLower(name) && !strings.ContainsAny(name, "-_") && !Local(name) && !slices.Contains(inConditions, name)
}

// inConditions are the names that conditions can use, in addition to names of generated code.
var inConditions = []string{"math", "strings", "utf8", "runtime", "errors"}

// Local reports whether generated code uses a name itself, so that no package can be imported under
// it.
func Local(name string) bool {
	return token.IsKeyword(name) || types.Universe.Lookup(name) != nil || slices.Contains(locals, name)
}
