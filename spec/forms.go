package spec

// Form says what the value of a key looks like.
type Form uint8

// The forms a value can have. FormDocs says what each is.
const (
	FormName Form = iota
	FormText
	FormWord
	FormCondition
	FormPattern
	FormInt
	FormNumber
	FormBool
	FormDuration
	FormNames
	FormWords
	FormNameList
	FormNameTable
	FormMatch
	FormScalar
	FormTypeText
	FormType
	FormEnum
	FormStruct
	FormUnion
	FormGoType
	FormFields
	FormTypes
	FormUses
	FormTools
	FormNodes
	FormBranches
	FormBlocks
	FormEvals
	FormEdges
	FormFlags
	FormAssert
	FormAsserts
	FormMapping
)

// A FormDoc describes a Form.
type FormDoc struct {
	Name    string // for tables
	Expects string // what a diagnostic says it expected
	Example string
	Doc     string
}

// Doc returns what the reference says about the form.
func (f Form) Doc() FormDoc { return formDocs[f] }

// String returns the form's name.
func (f Form) String() string { return formDocs[f].Name }

var formDocs = [...]FormDoc{
	FormName:      {"name", "a name", "draft", "A text that names something. It cannot be empty; one that looks like a number or a bool needs quotes."},
	FormText:      {"text", "a text", "Write the draft.", "Any text, of one line or more."},
	FormWord:      {"word", "a word", "error", "One of the words listed."},
	FormCondition: {"Go expression", "a Go expression", "'out.Score >= 4'", "A Go expression. Compile errors in it are reported at its place in the spec: the first character after the opening quote, or of the first line of a block text. An escape in double quotes (\\\") counts as one column there, so put an expression that contains double quotes into single quotes or a block text."},
	FormPattern:   {"regular expression", "a regular expression", "'^[a-z]+$'", "A regular expression, as package regexp reads it. In single quotes a backslash is one."},
	FormInt:       {"int", "a whole number", "3", "A whole number, in decimal, without quotes."},
	FormNumber:    {"number", "a number", "0.7", "A number, in decimal, without quotes."},
	FormBool:      {"bool", "true or false", "true", "`true` or `false`."},
	FormDuration:  {"duration", "a duration such as 30s", "1m30s", "Numbers with the units ns, us, ms, s, m, h."},
	FormNames:     {"names", "a name or a list of names", "[topic, article]", "A list of names, or a single name."},
	FormWords:     {"words", "one or more of the words listed", "[skip_to]", "A list of words, or a single one."},
	FormNameList:  {"list of names", "a list of names", "[low, high]", "A list of names."},
	FormNameTable: {"names by name", "a mapping of names to names", "{approved: publish, rejected: draft}", "A mapping of names to names; its order counts."},
	FormMatch:     {"match", "a mapping of one name to a value", "{status: done}", "A mapping with exactly one entry: a name, and a text, number, bool or null."},
	FormScalar:    {"value", "a text, a number or a bool", "5", "A text, a number or a bool."},
	FormTypeText:  {"type text", "a type", "\"[]string\"", "`string`, `int`, `float`, `bool`, `time`, `duration`, `bytes`, `any`, a name declared under `types`, a type `NAME.Type` of a file under `use`, or, built from one: `[]T` a list, `map[string]T` a map, `?T` a T or nothing. Brackets need quotes."},
	FormType:      {"type", "a type", "{score: int}", "A type text, an enum, a struct, the fields of a struct, a union, or a Go type."},
	FormEnum:      {"enum values", "a list of names", "[low, high]", "The values of an enum."},
	FormStruct:    {"fields", "a mapping of field names to types", "{score: int}", "Fields by name; each is a type text or a field."},
	FormUnion:     {"variants", "a mapping of labels to structs", "{circle: Circle, square: {side: float}}", "The variants of a union by their labels in JSON: a declared struct, or a struct."},
	FormGoType:    {"Go type", "an import path and the name of a type", "example.com/shop/money.Amount", "An import path, a dot, and the name of a Go type; or the name alone, of a type of the graph's own package."},
	FormFields:    {"state fields", "a mapping of field names to types", "{topic: string}", "State fields by name; each is a type text or a state field."},
	FormTypes:     {"types", "a mapping of names to types", "{Grade: {enum: [low, high]}}", "Types by name; each is an enum, a struct, the fields of a struct, a union, or a Go type."},
	FormUses:      {"files by name", "a mapping of names to spec files", "{common: ../common/common.types.yaml}", "Spec files by the name that their types have here: `common.Verdict`. Paths are relative to the file that has them, with slashes."},
	FormTools:     {"tools", "a mapping of tool names to tools", "{search: {args: {query: string}}}", "Tools by name."},
	FormNodes:     {"nodes", "a mapping of node names to nodes", "{draft: {writes: article}}", "Nodes by name."},
	FormBranches:  {"branches", "a mapping of branch names to nodes", "{facts: search, views: [ask, weigh]}", "By the name of each branch its node, or a list of nodes that run one after the other."},
	FormBlocks:    {"blocks", "a list of blocks", "[{name: style, text: Be brief.}]", "A list of blocks."},
	FormEvals:     {"evals", "a mapping of names to evals", "{searched: {called: search}}", "Evals by name."},
	FormEdges:     {"edges", "a list of edges", "[{from: draft, to: end}]", "A list; each entry is an edge, a branch table, a sequential entry or a loop_until entry."},
	FormFlags:     {"flags", "a list of flags", "[critical, {retryable: {attempts: 5}}]", "A list of flags, or a single one. A flag with settings is a mapping of its name to them."},
	FormAssert:    {"assertion", "an assertion", "every path to publish passes critic", "A statement about every run: `every path to X passes Y`, `no path from A to B without C`, `X is reachable` or `X runs at most N times`. X of the first and third form and B may be `end`."},
	FormAsserts:   {"assertions", "a list of assertions", "[every path to publish passes critic]", "A list of assertions, or a single one."},
	FormMapping:   {"mapping", "a mapping", "{max_steps: 20}", "A mapping with keys of its own."},
}
