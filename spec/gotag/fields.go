package gotag

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// typesSection reads the types that the graph declares: the fields of its struct Types.
func (r *reader) typesSection(f *ast.Field) {
	body, ok := f.Type.(*ast.StructType)
	if !ok {
		r.report("GG153", r.at(f.Type), "Types is not a struct", "write Types struct{ … }, a field for each type; a type of your own needs no entry")
		return
	}
	for _, entry := range body.Fields.List {
		for _, name := range entry.Names {
			r.here[name.Name] = true
		}
	}
	for _, entry := range body.Fields.List {
		for _, name := range entry.Names {
			r.put(&r.types, yamlread.TextTree(name.Name, r.at(name)), r.typeEntry(entry, name.Name))
		}
		if len(entry.Names) == 0 {
			r.report("GG153", r.at(entry.Type), "a type without a name", "write Name struct{ … }")
		}
	}
}

// typeEntry returns the tree of a type that the graph declares.
func (r *reader) typeEntry(f *ast.Field, name string) spec.Tree {
	set := r.fieldSettings(f)
	r.doc(&set, f.Doc)
	body, isStruct := f.Type.(*ast.StructType)
	switch {
	case isStruct:
		pos := r.at(f.Type)
		set.items = append([]spec.Tree{yamlread.TextTree("struct", pos), r.structTree(body, name, nil)}, set.items...)
	case r.marker(f.Type) != "Type":
		r.report("GG153", r.at(f.Type), "an entry of Types is a struct, or graph.Type with a tag",
			"write struct{ … }, or graph.Type `graphgen:\"enum=low,high\"`")
		return yamlread.LostTree(r.at(f.Type))
	}
	return set.tree(r.at(f.Type))
}

// fieldSettings returns the settings of a field of the state, of a struct or of Types.
func (r *reader) fieldSettings(f *ast.Field) settings {
	var set settings
	for _, s := range r.statements(f.Doc, f.Tag) {
		if s.word != "set" {
			r.report("GG152", s.pos, "a field has no "+s.word, "write it above the graph's struct, or with a node")
			continue
		}
		r.putAll(&set, s.set)
	}
	return set
}

// stateSection reads the state: a struct written there, or a struct type of the package.
func (r *reader) stateSection(f *ast.Field) {
	for _, s := range r.statements(f.Doc, f.Tag) {
		if s.word != "set" {
			r.report("GG152", s.pos, "the state has no "+s.word, "write it above the graph's struct, or with a node")
			continue
		}
		r.setGraph(s.set)
	}
	key := yamlread.TextTree("state", r.at(f.Names[0]))
	switch t := f.Type.(type) {
	case *ast.StructType:
		r.put(&r.graphSet, key, r.structTree(t, "", nil))
		return
	case *ast.Ident:
		if o := r.ownState(t); o != nil {
			r.put(&r.graphSet, key, o.fields)
			return
		}
	}
	r.report("GG153", r.at(f.Type), "the state is not a struct of this package",
		"write State struct{ … }, or the name of a struct type that the package declares")
	r.put(&r.graphSet, key, yamlread.LostTree(key.Pos))
}

// structTree returns the tree of the fields of a struct. path is the path of its name; of is the
// existing type that it belongs to, or nil.
func (r *reader) structTree(body *ast.StructType, path string, of *own) spec.Tree {
	var fields settings
	for _, f := range body.Fields.List {
		if len(f.Names) == 0 {
			r.report("GG154", r.at(f.Type), "the language has no embedded fields", "give the field a name")
			continue
		}
		jsonName, hidden := jsonName(f.Tag)
		for _, name := range f.Names {
			if of != nil && (hidden || !name.IsExported()) {
				of.is.Hidden = true
				r.hiddenField(f.Type, name, of)
				r.hiddenSettings(f, name, of, hidden)
				continue
			}
			r.structField(&fields, f, name, jsonName, path, of)
		}
	}
	return fields.tree(r.at(body))
}

// hiddenSettings reports settings of a field that the graph does not use.
func (r *reader) hiddenSettings(f *ast.Field, name *ast.Ident, of *own, byTag bool) {
	if of == r.state {
		r.hidden[Snake(name.Name)] = name.Name
	}
	if len(r.fieldSettings(f).items) == 0 {
		return
	}
	why, help := "is not exported", "begin its name with a capital letter"
	if byTag {
		why, help = "has the tag json:\"-\"", "give it another json tag, or none"
	}
	r.report("GG309", r.at(name), "the field "+name.Name+" has settings, but it "+why+", so the graph has no such field", help)
}

// structField adds a field of a struct.
func (r *reader) structField(fields *settings, f *ast.Field, ident *ast.Ident, jsonName, path string, of *own) {
	set := r.fieldSettings(f)
	name := yamlread.TextTree(Snake(ident.Name), r.at(ident))
	if jsonName != "" {
		name = yamlread.TextTree(jsonName, r.at(ident))
	}
	if as, ok := set.take("name"); ok {
		name = as
	}
	r.doc(&set, f.Doc)
	path = path + "." + name.Text
	r.goNames[path] = ident.Name
	r.put(fields, name, r.fieldTree(f.Type, set, path, of))
}

// fieldTree returns the tree of a field: its type, with other settings if there are any.
func (r *reader) fieldTree(t ast.Expr, set settings, path string, of *own) spec.Tree {
	pos := r.at(t)
	typed := 0 // among keys and values
	for typed < len(set.items) && !slices.Contains([]string{"type", "enum", "struct", "union", "go"}, set.items[typed].Text) {
		typed += 2
	}
	var key string
	var value spec.Tree
	body, isStruct := t.(*ast.StructType)
	name, _ := t.(*ast.Ident)
	switch {
	case typed < len(set.items) && of != nil:
		r.report("GG156", set.items[typed].Pos, "the field has its type in Go", "remove the setting: "+of.is.Name+" is declared by the package")
		return yamlread.LostTree(pos)
	case typed < len(set.items) && (name == nil || name.Name != "any") && (isStruct || !r.restates(t, set.items[typed:])):
		r.report("GG156", set.items[typed].Pos, "the field has its type in Go", "remove the setting, or write any as the type in Go")
		return yamlread.LostTree(pos)
	case typed < len(set.items):
		return set.tree(pos)
	case isStruct && of != nil:
		r.report("GG156", pos, "a struct without a name inside "+of.is.Name, "declare the struct as a type of the package, and name it here")
		return yamlread.LostTree(pos)
	case isStruct:
		key, value = "struct", r.structTree(body, path, nil)
	default:
		was := r.of
		r.of = of
		text, ok := r.typeText(t)
		r.of = was
		if !ok {
			return yamlread.LostTree(pos)
		}
		if key, value = "type", yamlread.TextTree(text, pos); len(set.items) == 0 {
			return value
		}
	}
	set.items = append([]spec.Tree{yamlread.TextTree(key, pos), value}, set.items...)
	return set.tree(pos)
}

// restates reports whether a setting is the type in Go.
func (r *reader) restates(t ast.Expr, setting []spec.Tree) bool {
	if setting[0].Text != "type" {
		return false
	}
	text, ok := r.typeText(t)
	return ok && setting[1].Text == text
}

// jsonName returns the name of a field in its json tag, and whether the tag hides it.
func jsonName(tag *ast.BasicLit) (name string, hidden bool) {
	if tag == nil {
		return "", false
	}
	whole, ok := plain(tag.Value, 0).unquote()
	if !ok {
		return "", false
	}
	value, _, _ := whole.lookup("json")
	if value.text == "-" {
		return "", true
	}
	name, _, _ = strings.Cut(value.text, ",")
	return name, false
}

// scalars maps Go types to the basic types of the language.
var scalars = map[string]string{
	"string": "string", "int": "int", "float64": "float", "bool": "bool", "any": "any",
}

// imported maps types of other packages to basic types.
var imported = map[string]string{
	"time.Time": "time", "time.Duration": "duration",
	"github.com/go-json-experiment/json/jsontext.Value": "any",

	resolve.ChatPath + ".Message": "message",
	resolve.ChatPath + ".Image":   "image",
	resolve.ChatPath + ".PDF":     "pdf",
	resolve.ChatPath + ".Audio":   "audio",
}

// insteads are replacements for types that the language lacks.
var insteads = map[string]string{
	"int8": "int", "int16": "int", "int32": "int", "int64": "int", "uint": "int", "uint8": "int", "uint16": "int",
	"uint32": "int", "uint64": "int", "uintptr": "int", "byte": "int", "rune": "string", "float32": "float64",
}

// typeText returns a Go type in the notation of the language. It reports types that the language
// lacks.
func (r *reader) typeText(t ast.Expr) (text string, ok bool) {
	within := func(prefix string, elem ast.Expr) (string, bool) {
		text, ok := r.typeText(elem)
		return prefix + text, ok
	}
	switch t := t.(type) {
	case *ast.ParenExpr:
		return r.typeText(t.X)
	case *ast.StarExpr:
		return within("?", t.X)
	case *ast.ArrayType:
		if elem, isName := t.Elt.(*ast.Ident); isName && t.Len == nil && (elem.Name == "byte" || elem.Name == "uint8") {
			return "bytes", true
		}
		if t.Len == nil {
			if text, ok := within("[]", t.Elt); text != "[]message" {
				return text, ok
			}
			return "messages", true
		}
		return r.lacks(t, "arrays", "write a list: []T")
	case *ast.MapType:
		if key, isName := t.Key.(*ast.Ident); isName && key.Name == "string" {
			return within("map[string]", t.Value)
		}
		return r.lacks(t.Key, "maps with other keys than string", "write map[string]T")
	case *ast.Ident:
		return r.nameText(t)
	case *ast.SelectorExpr:
		return r.importedText(t)
	case *ast.InterfaceType:
		if len(t.Methods.List) == 0 {
			return r.anyText(t)
		}
	case *ast.StructType:
		return r.lacks(t, "structs without a name here", "declare the struct as a type, and name it here")
	}
	return r.lacks(t, "the type "+types.ExprString(t), "a type is string, int, float64, bool, a struct or an enum, or made of one: []T, map[string]T, *T")
}

func (r *reader) lacks(at ast.Node, what, help string) (string, bool) {
	r.report("GG154", r.at(at), "the language has no "+strings.TrimPrefix(what, "the "), help)
	return "", false
}

// nameText returns the type for a name.
func (r *reader) nameText(id *ast.Ident) (string, bool) {
	if r.here[id.Name] {
		return id.Name, true
	}
	if decl := r.pkg.types[id.Name]; decl != nil {
		if decl.spec.Assign.IsValid() && decl.spec.TypeParams == nil {
			return r.alias(id, decl)
		}
		return id.Name, r.own(id.Name, r.at(id))
	}
	if id.Name == "any" {
		return r.anyText(id)
	}
	if text, ok := scalars[id.Name]; ok {
		return text, true
	}
	if instead, ok := insteads[id.Name]; ok {
		return r.lacks(id, "the type "+id.Name, "write "+instead)
	}
	if types.Universe.Lookup(id.Name) != nil {
		return r.lacks(id, "the type "+id.Name, "a type is string, int, float64, bool, a struct or an enum, or made of one: []T, map[string]T, *T")
	}
	return id.Name, true // unknown; package check reports it
}

// anyText returns the type any, which is jsontext.Value in generated structs. In an existing struct
// it would need reflection.
func (r *reader) anyText(at ast.Node) (string, bool) {
	if r.of == nil {
		return "any", true
	}
	r.report("GG154", r.at(at), "generated code cannot read and write the interface any in "+r.of.is.Name,
		"write json.RawMessage or jsontext.Value, which hold any JSON")
	return "", false
}

// aliasMost bounds chains of aliases, as in type A = []B.
const aliasMost = 20

// alias returns the type that an alias denotes.
func (r *reader) alias(id *ast.Ident, decl *typeDecl) (string, bool) {
	seen := map[*typeDecl]bool{}
	for next := decl; next != nil; next = r.aliased(decl) {
		if decl = next; seen[decl] {
			return r.lacks(id, "the type "+id.Name, "the alias leads back to itself")
		}
		seen[decl] = true
	}
	if r.pkg.aliases++; r.pkg.aliases > aliasMost {
		r.pkg.aliases--
		return r.lacks(id, "the type "+id.Name, "it is made of too many other aliases: declare a struct")
	}
	defer func() { r.pkg.aliases-- }()
	if decl.file != r.file {
		defer r.enter(decl.file, r.at(id))()
	}
	return r.typeText(decl.spec.Type)
}

// aliased returns the alias that an alias denotes, or nil.
func (r *reader) aliased(decl *typeDecl) *typeDecl {
	id, ok := ast.Unparen(decl.spec.Type).(*ast.Ident)
	if !ok || r.here[id.Name] {
		return nil
	}
	if to := r.pkg.types[id.Name]; to != nil && to.spec.Assign.IsValid() && to.spec.TypeParams == nil {
		return to
	}
	return nil
}

// enter makes the reader read another file of the package, with the given position for everything
// in it. The returned function switches back.
func (r *reader) enter(file *goFile, at spec.Pos) (back func()) {
	was, fixed := r.file, r.fixed
	if !fixed.IsSet() {
		r.fixed = at
	}
	r.file = file
	return func() { r.file, r.fixed = was, fixed }
}

// importedText returns a type of another package.
func (r *reader) importedText(t *ast.SelectorExpr) (string, bool) {
	x, ok := t.X.(*ast.Ident)
	if !ok {
		return r.lacks(t, "the type "+types.ExprString(t), "name a type")
	}
	from := r.file.imports[x.Name]
	if from == "" && r.uses(x.Name) {
		return x.Name + "." + t.Sel.Name, true
	}
	if text, ok := imported[from+"."+t.Sel.Name]; ok {
		return text, true
	}
	name := types.ExprString(t)
	if from == "" {
		return r.lacks(t, "the type "+name, "declare a type in this package, and convert where the value is used")
	}
	goName := from + "." + t.Sel.Name
	if goName != resolve.RawMessage {
		if why := r.pkg.withoutCodec(from, t.Sel.Name); why != "" {
			r.report("GG154", r.at(t), why, "declare a type in this package, and convert where the value is used")
			return "", false
		}
	}
	if entry := r.goTypes[goName]; entry != "" {
		return entry, true
	}
	entry, pos := r.freeName(t.Sel.Name, from), r.at(t)
	r.goTypes[goName], r.here[entry] = entry, true
	r.types.add(yamlread.TextTree(entry, pos), yamlread.MapTree(pos, yamlread.TextTree("go", pos), yamlread.TextTree(goName, pos)))
	return entry, true
}

// freeName returns a name for a type of another package, prefixed with the name of the package if it is
// taken.
func (r *reader) freeName(name, importPath string) string {
	free := func(name string) bool { return !r.here[name] && r.pkg.types[name] == nil }
	if free(name) {
		return name
	}
	longer := goname.Exported(path.Base(importPath)) + name
	for n := 2; !free(longer); n++ {
		longer = goname.Exported(path.Base(importPath)) + name + strconv.Itoa(n)
	}
	return longer
}

// uses reports whether a name is the name of a used file.
func (r *reader) uses(name string) bool {
	use, _ := r.graphSet.get("use")
	for i, key := range use.Items {
		if i%2 == 0 && key.Text == name {
			return true
		}
	}
	return false
}

// placeOf formats a position in another file for a message.
func (p *pkg) placeOf(n ast.Node) string {
	at := p.fset.PositionFor(n.Pos(), false)
	return fmt.Sprintf("%s:%s", base(at.Filename), strconv.Itoa(at.Line))
}
