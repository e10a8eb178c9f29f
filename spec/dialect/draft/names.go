package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Namer gives foreign names to a namespace of the draft. Two names that are the same in Go get
// different numbers.
type Namer struct {
	file  *File
	what  string // for messages: "node"
	known map[string]string
	taken map[string]bool // Go names
}

// NewNamer returns a namer of a namespace; reserved are names that it never gives.
func NewNamer(f *File, what string, reserved ...string) *Namer {
	n := &Namer{file: f, what: what, known: map[string]string{}, taken: map[string]bool{}}
	for _, r := range reserved {
		n.taken[goname.Exported(r)] = true
	}
	return n
}

// Name returns the name of a foreign name, the same each time. It reports where it is another one.
func (n *Namer) Name(foreign String) string {
	if had, ok := n.known[foreign.V]; ok {
		return had
	}
	name := n.Free(Identifier(foreign.V, n.what))
	n.known[foreign.V] = name
	if name != foreign.V {
		n.file.Note("GG360", foreign.Pos, "the "+n.what+" "+strconv.Quote(foreign.V)+" is called "+name+" in the graph", "")
	}
	return name
}

// All names several foreign names. Those that are valid keep their names.
func (n *Namer) All(foreign []String) {
	for _, f := range foreign {
		if Identifier(f.V, n.what) == f.V {
			n.Name(f)
		}
	}
	for _, f := range foreign {
		n.Name(f)
	}
}

// Call gives a foreign name a name like the given one.
func (n *Namer) Call(foreign, name string) {
	if _, ok := n.known[foreign]; !ok {
		n.known[foreign] = n.Free(name)
	}
}

// Known returns the name of a foreign name that has one, else the foreign name itself.
func (n *Namer) Known(foreign string) string {
	if had, ok := n.known[foreign]; ok {
		return had
	}
	return foreign
}

// Unknown reports a foreign name that has no name.
func (n *Namer) Unknown(foreign String, help string) {
	if near, ok := diag.Suggest(foreign.V, slices.Sorted(maps.Keys(n.known))); ok && near != foreign.V {
		help = "did you mean " + strconv.Quote(near) + "?"
	}
	n.file.Error("GG363", foreign.Pos, "there is no "+n.what+" "+yamlread.Quote(foreign.V), help)
}

// Has reports whether a foreign name has a name.
func (n *Namer) Has(foreign string) bool { _, ok := n.known[foreign]; return ok }

// Free returns a name like the given one that is not taken, and takes it.
func (n *Namer) Free(name string) string {
	for i := 1; ; i++ {
		candidate := numbered(name, i)
		if goName := goname.Exported(candidate); !n.taken[goName] && !IsEnd(candidate) {
			n.taken[goName] = true
			return candidate
		}
	}
}

// numbered returns a name with a number from the second one on.
func numbered(name string, i int) string {
	if i == 1 {
		return name
	}
	if last := name[len(name)-1]; last >= '0' && last <= '9' {
		return name + "_" + strconv.Itoa(i)
	}
	return name + strconv.Itoa(i)
}

// Identifier returns a valid name of a foreign one: Node 1 becomes node_1.
func Identifier(name, what string) string {
	if goname.Valid(name) && goname.Exported(name) != "" {
		return name
	}
	var b strings.Builder
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case c >= 'A' && c <= 'Z':
			b.WriteRune(c - 'A' + 'a')
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	id := strings.Trim(b.String(), "_")
	switch {
	case id == "":
		return what
	case id[0] >= '0' && id[0] <= '9':
		return what + "_" + id
	}
	return id
}

// TypeName returns the name of a type of the words of a name: create_issue becomes CreateIssue.
func TypeName(name string) string { return goname.Exported(Identifier(name, "type")) }

// FieldName returns the name of a state field for a name: run-tests becomes run_tests.
func FieldName(name string) string { return strings.ReplaceAll(Identifier(name, "field"), "-", "_") }
