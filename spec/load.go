package spec

import (
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// MaxFile is the size of the largest file Load reads, in bytes.
const MaxFile = yamlread.MaxFile

// A reader builds a graph from a tree and collects what is wrong with it.
type reader = yamlread.Reader

// language is the language of specs and of files of types.
var language = yamlread.Language{
	File:     "a spec",
	Begin:    emptyHelp,
	Large:    "split the graph",
	Next:     "give every graph a file of its own",
	Deep:     tooDeepHelp,
	Codes:    yamlread.Codes{Unknown: "GG012", Missing: "GG019", Wrong: "GG013", Unfit: "GG014", Valueless: "GG015"},
	Own:      Own,
	Foreign:  foreignKey,
	Mappings: Reference,
	Misfits:  map[yamlread.Kind]map[string]string{yamlread.Map: mappingRemedies, yamlread.Bool: boolRemedies},
}

const (
	emptyHelp   = "a spec begins with `graph: NAME`, `nodes:` and `edges:`"
	tooDeepHelp = "give the inner parts names of their own under types"
)

// Load reads a spec from its YAML text; file is its name for diagnostics. It judges form
// alone: syntax, keys, and the kinds of values. All that is wrong is reported in one pass,
// each mistake once, in file order.
//
// The graph is nil when the text as a whole cannot be read: it is not YAML, or not a mapping.
// Else it holds all that could be read. What was written but could not be read leaves a
// trace, so that later passes can distinguish it from what is missing and report nothing more about
// it: a Value is Lost, a list or table that could not be read has one lost entry, a
// TypeExpr is of kind TypeNamed with an empty Name, and whatever has a key that could not
// be placed is Unread. A misspelt key that can only be meant for one other is read as that.
//
// The place of a condition (if) is the first character of its Go expression: the one after
// an opening quote, or the first of a block text. Inside double quotes an escape takes
// more columns of the file than of the expression, so a place further into a condition
// is exact only where it is written without quotes, in single quotes or as a literal block.
func Load(file string, text []byte) (*Graph, []diag.Diagnostic) { return LoadAgain(file, text, nil) }

// LoadAgain is Load for a file that may have been read before, with the same pieces.
func LoadAgain(file string, text []byte, pieces *yamlread.Pieces) (*Graph, []diag.Diagnostic) {
	r := yamlread.New(file, "", &language)
	r.Pieces = pieces
	root, ok := r.Parse(text)
	switch {
	case !ok, root.Kind == yamlread.Unreadable:
		return nil, r.Found()
	case root.Kind != yamlread.Map:
		r.Report("GG013", root.Pos, "expected a mapping with the keys of a graph, found "+root.Found(), emptyHelp)
		return nil, r.Found()
	}
	g := graph(r, file, []byte(r.Source()), &root)
	g.Flawed = r.Count() > 0
	return g, r.Found()
}

// Read makes a graph of a tree that a front end read from a file, as Load does of YAML: it
// judges form alone, and reports all that is wrong with it.
func Read(file string, source []byte, root Tree) (*Graph, []diag.Diagnostic) {
	r := yamlread.New(file, string(source), &language)
	return graph(r, file, source, &root), r.Found()
}

func graph(r *reader, file string, source []byte, root *Tree) *Graph {
	g := &Graph{File: file, Source: source, Pos: root.Pos}
	table := &graphTable
	if g.TypesOnly() {
		table = &typesTable
	}
	yamlread.Read(r, root, table, g)
	if len(g.Ends) > 0 && root.Dropped > 0 { // it may be more ends
		g.Ends = append(g.Ends, yamlread.Lost(root.Pos))
	}
	if nodes := root.Get("nodes"); g.Pattern.IsSet() && nodes != nil {
		keepTrees(g, nodes)
	}
	return g
}

// ParseTree is the value that a text has in YAML, and whether it could be read.
func ParseTree(text string) (value Tree, ok bool) {
	r := yamlread.New("", "", &language)
	value, ok = r.Parse([]byte(text))
	return value, ok && r.Count() == 0
}

// TreeOf is the tree of a graph that was read without errors, all of it at the place of the
// graph: Read makes the graph of it again.
func TreeOf(g *Graph) Tree {
	root := keysTree(&graphTable, g)
	root.SetPos(g.Pos)
	return root
}

// Own reads a value to a place of the language, by the type of the place. Other languages that hold types
// and fields read them by it.
func Own(r *reader, v *Tree, k *Key, to any) bool {
	switch to := to.(type) {
	case namesAt:
		*to.names, *to.pos = r.Names(v, k), v.Pos
	case *[]Transition:
		r.Pairs(v, k, func(key, value String) { *to = append(*to, Transition{Key: key, To: value}) })
	case *[]Assignment:
		r.Pairs(v, k, func(key, value String) { *to = append(*to, Assignment{Name: key, Field: value}) })
	case labelsAt:
		*to.pos = v.Pos
		r.Pairs(v, k, func(key, value String) { *to.labels = append(*to.labels, Label{Name: key, To: value}) })
	case *[]*Use:
		r.Pairs(v, k, func(key, value String) { *to = append(*to, &Use{Name: key, File: value}) })
	case bodyAt:
		readBody(r, v, k, to.node)
	case entryAt:
		*to.names, *to.graph = []String{r.Text(v, k)}, true
	case regionAt:
		*to.names = r.Names(v, k)
	case branchesAt:
		*to.branches, *to.pos = readBranches(r, v, k), v.Pos
	case *Text:
		*to = readText(r, v, k)
	case **Mutations:
		*to = &Mutations{Pos: v.Pos}
		yamlread.Read(r, v, &mutationsTable, *to)
	case **OutputMatch:
		*to = match(r, v, k)
	case confidenceAt:
		*to.Value = least(r, v)
	case *[]Flag:
		*to = flags(r, v, k)
	case *[]Guard:
		*to = guards(r, v, k)
	case *[]Processor:
		*to = processors(r, v, k)
	case *Limits:
		to.Pos = v.Pos
		yamlread.Read(r, v, &limitsTable, to)
	case **LoopUntil:
		*to = &LoopUntil{Pos: v.Pos}
		yamlread.Read(r, v, &loopTable, *to)
	case *[]*Edge:
		*to = edges(r, v, k)
	case *[]*Assertion:
		*to = assertions(r, v)
	case *[]*Node:
		*to = readNodes(r, v, k)
	case *[]*Template:
		*to = readTemplates(r, v, k)
	case *[]*Skill:
		*to = readSkills(r, v, k)
	case *[]*Param:
		*to = readParams(r, v, k)
	case *Tree:
		*to = *v
	default:
		return ownEntries(r, v, k, to) || readType(r, v, k, to)
	}
	return true
}

// ownEntries reads a value to a place for a section of entries whose tables alone differ.
func ownEntries(r *reader, v *Tree, k *Key, to any) bool {
	switch to := to.(type) {
	case *[]*ToolDecl:
		*to = yamlread.Entries(r, v, k, &toolTable, (*ToolDecl).name)
	case *[]*Server:
		*to = yamlread.Entries(r, v, k, &serverTable, (*Server).name)
	case *[]*Eval:
		*to = yamlread.Entries(r, v, k, &evalTable, (*Eval).name)
	case *[]*Block:
		*to = yamlread.Items(r, v, k, &blockTable)
	default:
		return false
	}
	return true
}

// The names of entries, for their sections.
func (t *ToolDecl) name() *String { return &t.Name }
func (e *Eval) name() *String     { return &e.Name }

// readType reads a value to a place for types, and what they are made of.
func readType(r *reader, v *Tree, k *Key, to any) bool {
	switch to := to.(type) {
	case **TypeExpr:
		*to = typeExpr(r, v, k.Form)
	case *[]*Field:
		if v.Kind != yamlread.Map || v.Dropped > 0 {
			r.Tear()
		}
		table := &stateTable
		if k.Form == FormStruct {
			table = &fieldTable
		}
		*to = readFields(r, v, k, table)
	case *[]*TypeDecl:
		*to = typeDecls(r, v, k)
	case *[]Variant:
		*to = variants(r, v, k)
	case **Scalar:
		*to = plainValue(r, v)
	default:
		return false
	}
	return true
}

// plainValue reads a text, a number, a bool, or a list or mapping of such, as it is written. One that cannot be read is
// a null, which no other is.
func plainValue(r *reader, v *Tree) *Scalar {
	s := &Scalar{Kind: v.Kind, Text: v.Text, Pos: v.Pos}
	switch {
	case v.Kind == yamlread.List || v.Kind == yamlread.Map:
		for i := range v.Items {
			item := plainValue(r, &v.Items[i])
			if item.Kind == ScalarNull || v.Dropped > 0 {
				return &Scalar{Kind: ScalarNull, Pos: v.Pos}
			}
			s.Items = append(s.Items, *item)
		}
	case !v.IsScalar(), v.Kind == yamlread.Null:
		r.Expected(v, FormScalar.Expects, "what is absent without a default is empty")
		s.Kind = ScalarNull
	}
	return s
}

// foreignKey returns what to write for a key of another format, and names the keys of JSON Schema.
func foreignKey(mapping string, of *Tree, key string) (whose, help string) {
	if instead, foreign := schemaKeys[key]; foreign && slices.Contains(typeMappings, mapping) {
		return ": it is of JSON Schema, which types do not follow here", instead
	}
	if mapping == nodeTable.Name {
		kind := DefaultKind
		if written := of.Get("kind"); written != nil {
			kind = written.Text
		}
		return "", ForeignNodeKey(kind, key)
	}
	return "", remedyOf(mapping, key)
}
