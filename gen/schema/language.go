package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// Language returns the JSON Schema of the spec language as indented JSON, with a line break
// at its end: for editors that complete, explain and underline YAML by a schema.
//
// It is made from the tables the reader uses. It accepts what the reader accepts,
// and also what JSON Schema cannot see: names that nothing has, keys written twice, anchors
// and tags, numbers that are not written in decimal, an empty value where null is one.
func Language() []byte {
	l := &language{mappings: spec.Reference()}
	l.open('{')
	l.key("$schema").string(Draft)
	l.key("title").string("A graph spec of graphgen")
	if files := l.alternatives(l.mappings[0].Name); len(files) > 1 {
		l.anyOf(files...)
	} else {
		files[0]()
	}
	l.key("$defs").open('{')
	for i := range l.mappings {
		l.mapping(&l.mappings[i])
	}
	for _, form := range spec.Forms {
		write := forms[form]
		if write == nil && form.Schema == nil {
			continue // forKey has it
		}
		l.key(defName(valueOf(form))).open('{')
		l.key("description").string(form.Doc)
		if write != nil {
			write(l)
		} else {
			l.form(form.Schema)
		}
		l.close('}')
	}
	l.close('}')
	l.close('}')
	return []byte(l.b.String() + "\n")
}

// HeaderComment is the first line of a spec whose editor is to use a schema: the path of
// one beside it, or a URL.
func HeaderComment(schema string) string { return "# yaml-language-server: $schema=" + schema }

// A language writes the schema of the spec language.
type language struct {
	writer
	mappings []spec.Mapping
}

func defName(name string) string { return strings.ReplaceAll(name, " ", "_") }

// valueOf names the definition of a form, which may be called as a mapping is.
func valueOf(form *spec.Form) string { return form.String() + " value" }

func ref(name string) string { return "#/$defs/" + defName(name) }

// forms write the keywords of the forms that are the same for every key, and that need more than a Schema.
var forms = map[*spec.Form]func(*language){
	spec.FormMatch: func(l *language) {
		l.anyOf(l.reference(spec.FormName), func() {
			l.table(func() { l.key("type").strings([]string{"string", "number", "boolean", "null"}) })
			l.key("minProperties").raw("1")
			l.key("maxProperties").raw("1")
		})
	},
	spec.FormLeast: func(l *language) {
		l.anyOf(l.reference(spec.FormNumber), func() { l.key("const").raw("true") })
	},
	spec.FormAny:   func(l *language) { l.key("type").strings([]string{"object", "array", "string", "number", "boolean"}) },
	spec.FormType:  func(l *language) { l.anyOf(append(l.composites(), l.reference(spec.FormTypeText))...) },
	spec.FormTypes: func(l *language) { l.table(func() { l.anyOf(l.composites()...) }) },
}

// form writes the keywords of a schema.
func (l *language) form(s *spec.Schema) {
	switch {
	case len(s.AnyOf) > 0:
		var choices []func()
		for _, form := range s.AnyOf {
			choices = append(choices, l.reference(form))
		}
		l.anyOf(choices...)
	case s.Items != nil:
		l.list(l.reference(s.Items))
	case s.Values != nil:
		l.table(l.reference(s.Values))
	case len(s.Types) == 1:
		l.key("type").string(s.Types[0])
	default:
		l.key("type").strings(s.Types)
	}
	if s.Filled {
		l.key("minLength").raw("1")
	}
	if s.Pattern != "" {
		l.key("pattern").string(s.Pattern)
	}
	if s.Min < s.Max {
		l.key("minimum").raw(strconv.Itoa(s.Min))
		l.key("maximum").raw(strconv.Itoa(s.Max))
	}
}

// forKey write the keywords of the forms that differ from key to key.
var forKey = map[*spec.Form]func(*language, *spec.Key){
	spec.FormWord: func(l *language, k *spec.Key) { l.key("enum").strings(spec.Names(k.Words)) },
	spec.FormWords: func(l *language, k *spec.Key) {
		word := func() { l.key("enum").strings(spec.Names(k.Words)) }
		l.anyOf(word, func() { l.list(word) })
	},
	spec.FormStruct: func(l *language, k *spec.Key) { l.table(func() { l.field(k.Of) }) },
	spec.FormFields: func(l *language, k *spec.Key) { l.table(func() { l.field(k.Of) }) },
	spec.FormNodes: func(l *language, k *spec.Key) {
		l.table(func() { l.anyOf(l.mappingRef(k.Of), l.instance, func() { l.override(k.Of) }, l.null) })
	},
	spec.FormBody: func(l *language, k *spec.Key) { l.anyOf(l.reference(spec.FormNames), l.mappingRef(k.Of)) },
	spec.FormBranches: func(l *language, k *spec.Key) {
		l.table(func() { l.anyOf(l.reference(spec.FormNames), l.mappingRef(k.Of)) })
	},
	spec.FormTools:   func(l *language, k *spec.Key) { l.table(func() { l.anyOf(l.mappingRef(k.Of), l.null) }) },
	spec.FormServers: func(l *language, k *spec.Key) { l.table(l.mappingRef(k.Of)) },
	spec.FormParams: func(l *language, k *spec.Key) {
		l.table(func() { l.anyOf(func() { l.key("enum").strings(spec.Names(spec.ParamTypes)) }, l.mappingRef(k.Of)) })
	},
	spec.FormPrompt:    func(l *language, k *spec.Key) { l.anyOf(l.reference(spec.FormText), l.mappingRef(k.Of)) },
	spec.FormTemplates: func(l *language, k *spec.Key) { l.table(l.mappingRef(k.Of)) },
	spec.FormSkills:    func(l *language, k *spec.Key) { l.table(l.mappingRef(k.Of)) },
	spec.FormBlocks:    func(l *language, k *spec.Key) { l.list(l.mappingRef(k.Of)) },
	spec.FormEvals:     func(l *language, k *spec.Key) { l.table(l.mappingRef(k.Of)) },
	spec.FormEdges:     func(l *language, k *spec.Key) { l.list(func() { l.anyOf(l.alternatives(k.Of)...) }) },
	spec.FormMapping:   func(l *language, k *spec.Key) { l.mappingRef(k.Of)() },
	spec.FormAsserts: func(l *language, k *spec.Key) {
		statement, mapping := l.reference(spec.FormAssert), l.mappingRef(k.Of)
		l.anyOf(statement, mapping, func() { l.list(func() { l.anyOf(statement, mapping) }) })
	},
	spec.FormGuards: func(l *language, k *spec.Key) {
		name, mapping := l.reference(spec.FormName), func() {
			l.table(l.mappingRef(k.Of))
			l.key("minProperties").raw("1")
			l.key("maxProperties").raw("1")
		}
		l.anyOf(name, mapping, func() { l.list(func() { l.anyOf(name, mapping) }) })
	},
	spec.FormProcessors: func(l *language, k *spec.Key) {
		alone, settings := l.reference(spec.FormName), l.flags(k.Words)
		one := func() { l.anyOf(append(settings[1:], alone)...) }
		l.anyOf(append(settings[1:], alone, func() { l.list(one) })...)
	},
	spec.FormFlags: func(l *language, k *spec.Key) {
		flag := func() { l.anyOf(l.flags(k.Words)...) }
		l.anyOf(func() { l.key("enum").strings(spec.Names(k.Words)) }, func() { l.list(flag) })
	},
}

// mapping writes the definition of a mapping.
func (l *language) mapping(m *spec.Mapping) {
	l.key(defName(m.Name)).open('{')
	l.key("description").string(m.Doc)
	l.key("type").string("object")
	l.key("properties").open('{')
	var required []string
	for i := range m.Keys {
		k := &m.Keys[i]
		if k.Required {
			required = append(required, k.Name)
		}
		l.key(k.Name).open('{')
		l.value(k)
		l.close('}')
	}
	l.close('}')
	if len(required) > 0 {
		l.key("required").strings(required)
	}
	l.key("additionalProperties").raw("false")
	if len(m.Exactly) > 0 {
		var one []func()
		for _, name := range m.Exactly {
			one = append(one, func() { l.key("required").strings([]string{name}) })
		}
		l.choice("oneOf", one)
	}
	if rules := slices.Concat(l.most(m), l.kinds(m), l.own(m)); len(rules) > 0 {
		l.choice("allOf", rules)
	}
	l.close('}')
}

// value writes the keywords of a key's value.
func (l *language) value(k *spec.Key) {
	l.key("description").string(keyDoc(k))
	write := l.reference(k.Form)
	if special := forKey[k.Form]; special != nil {
		write = func() { special(l, k) }
	}
	if k.Empty {
		l.anyOf(write, l.null)
	} else {
		write()
	}
	switch {
	case k.Form == spec.FormInt || k.Form == spec.FormBool:
		if literal.MatchString(k.Default) {
			l.key("default").raw(k.Default)
		}
	case k.Form == spec.FormDuration && k.Default != "", slices.Contains(spec.Names(k.Words), k.Default):
		l.key("default").string(k.Default)
	}
}

// literal matches the defaults that are values and no words about one.
var literal = regexp.MustCompile(`^(true|false|[0-9]+)$`)

// keyDoc returns what an editor shows of a key: its doc, and the doc of each of its words.
func keyDoc(k *spec.Key) string {
	var b strings.Builder
	b.WriteString(k.Doc)
	for _, w := range k.Words {
		fmt.Fprintf(&b, "\n\n- %s: %s", w.Name, w.Doc)
	}
	return b.String()
}

// most writes, for each key of which a mapping may have one, that it excludes the others.
func (l *language) most(m *spec.Mapping) (rules []func()) {
	for _, name := range m.Most {
		rules = append(rules, func() {
			l.key("if").open('{')
			l.key("required").strings([]string{name})
			l.close('}')
			others := slices.DeleteFunc(slices.Clone(m.Most), func(other string) bool { return other == name })
			l.forbids(others)
		})
	}
	return rules
}

// kinds writes, for each kind of node, the keys that are for other kinds.
func (l *language) kinds(m *spec.Mapping) (rules []func()) {
	at := slices.IndexFunc(m.Keys, func(k spec.Key) bool { return k.Name == "kind" && k.Form == spec.FormWord })
	if at < 0 {
		return nil
	}
	kind := &m.Keys[at]
	for _, w := range kind.Words {
		var foreign []string
		for _, k := range m.Keys {
			if k.Kinds != nil && !slices.Contains(k.Kinds, w.Name) {
				foreign = append(foreign, k.Name)
			}
		}
		if len(foreign) == 0 {
			continue
		}
		rules = append(rules, func() {
			l.key("if").open('{')
			l.key("properties").open('{')
			l.key(kind.Name).open('{')
			l.key("const").string(w.Name)
			l.close('}')
			l.close('}')
			if w.Name != kind.Default {
				l.key("required").strings([]string{kind.Name})
			}
			l.close('}')
			l.forbids(foreign)
		})
	}
	return rules
}

// override writes the node of a graph with a pattern that has no kind: it gives keys to a node of the pattern, which
// has the kind.
func (l *language) override(node string) {
	l.key("type").string("object")
	l.key("properties").open('{')
	at := slices.IndexFunc(l.mappings, func(m spec.Mapping) bool { return m.Name == node })
	for _, k := range l.mappings[at].Keys {
		if k.Name == "kind" {
			l.key(k.Name).raw("false")
			continue
		}
		l.key(k.Name).open('{')
		l.key("$ref").string(ref(node) + "/properties/" + k.Name)
		l.close('}')
	}
	l.close('}')
	l.key("additionalProperties").raw("false")
}

// own writes that the nodes of a graph without a pattern are the graph's own.
func (l *language) own(m *spec.Mapping) []func() {
	named := func(name string) int {
		return slices.IndexFunc(m.Keys, func(k spec.Key) bool { return k.Name == name })
	}
	at := named("nodes")
	if at < 0 || named("pattern") < 0 {
		return nil
	}
	nodes := func() { l.table(func() { l.anyOf(l.mappingRef(m.Keys[at].Of), l.instance, l.null) }) }
	return []func(){func() {
		l.key("if").open('{')
		l.key("not").open('{')
		l.key("required").strings([]string{"pattern"})
		l.close('}')
		l.close('}')
		l.key("then").open('{')
		l.key("properties").open('{')
		l.key("nodes").open('{')
		l.anyOf(nodes, l.null)
		l.close('}')
		l.close('}')
		l.close('}')
	}}
}

// instance writes a node of a template: its kind is not of the language, and the parameters of the template are keys, too.
func (l *language) instance() {
	l.key("type").string("object")
	l.key("properties").open('{')
	l.key("kind").open('{')
	l.key("type").string("string")
	l.key("minLength").raw("1")
	l.key("not").open('{')
	l.key("enum").strings(spec.Names(spec.Words(spec.Kinds)))
	l.close('}')
	l.close('}')
	l.close('}')
	l.key("required").strings([]string{"kind"})
}

// forbids writes the consequence that some keys may not be there.
func (l *language) forbids(keys []string) {
	l.key("then").open('{')
	l.key("properties").open('{')
	for _, k := range keys {
		l.key(k).raw("false")
	}
	l.close('}')
	l.close('}')
}

// alternatives returns the mapping of a name and the alternatives to it.
func (l *language) alternatives(name string) []func() {
	list := []func(){l.mappingRef(name)}
	for i := range l.mappings {
		if l.mappings[i].Instead == name {
			list = append(list, l.mappingRef(l.mappings[i].Name))
		}
	}
	return list
}

// composites returns the types that are mappings: mappings instead of the text of a type, and the fields
// of a struct.
func (l *language) composites() []func() {
	list := l.alternatives("type")[1:]
	return append(list, func() { l.table(func() { l.field("field") }) })
}

// field writes the value of a field: the text of its type, or a mapping.
func (l *language) field(mapping string) {
	l.anyOf(l.reference(spec.FormTypeText), l.mappingRef(mapping))
}

// flags returns the forms of a flag: a word, or a word with its settings.
func (l *language) flags(words []spec.Word) []func() {
	list := []func(){func() { l.key("enum").strings(spec.Names(words)) }}
	for _, w := range words {
		if w.Of == "" {
			continue
		}
		list = append(list, func() {
			l.key("type").string("object")
			l.key("properties").open('{')
			l.key(w.Name).open('{')
			l.mappingRef(w.Of)()
			l.close('}')
			l.close('}')
			l.key("required").strings([]string{w.Name})
			l.key("additionalProperties").raw("false")
		})
	}
	return list
}

func (l *language) mappingRef(name string) func() {
	return func() { l.key("$ref").string(ref(name)) }
}

func (l *language) reference(form *spec.Form) func() {
	return func() { l.key("$ref").string(ref(valueOf(form))) }
}

func (l *language) null() { l.key("type").string("null") }

// list writes an array of items.
func (l *language) list(item func()) {
	l.key("type").string("array")
	l.key("items").open('{')
	item()
	l.close('}')
}

// table writes a mapping of names to values.
func (l *language) table(value func()) {
	l.key("type").string("object")
	l.key("additionalProperties").open('{')
	value()
	l.close('}')
}

func (l *language) anyOf(alternatives ...func()) { l.choice("anyOf", alternatives) }

func (l *language) choice(keyword string, alternatives []func()) {
	l.key(keyword).open('[')
	for _, write := range alternatives {
		l.item().open('{')
		write()
		l.close('}')
	}
	l.close(']')
}
