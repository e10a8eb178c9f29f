package spec

import (
	"math"

	"github.com/graphgen/graphgen/spec/yamlread"
)

type (
	Form   = yamlread.Form   // how the value of a key looks
	Schema = yamlread.Schema // of a form
)

// The texts of durations and of types, as regular expressions of ECMA 262.
const (
	durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	typePattern     = `^(\[\]|map\[string\]|\?)*[\p{L}_][\p{L}\p{Nd}_]*(\.[\p{L}\p{Nd}_]+)?$`
)

// The forms a value can have.
var (
	FormName = yamlread.Name
	FormText = &Form{Name: "text", Expects: "a text", Example: "Write the draft.", Doc: "Any text, of one line or more.",
		Free: true, Schema: &Schema{Types: []string{"string"}}}
	FormPrompt = &Form{Name: "text of a prompt", Expects: "a text", Example: "Write the draft.",
		Doc: "Any text, of one line or more, or `{file: PATH}` for the text of a file.", Free: true}
	FormWord      = &Form{Name: "word", Expects: "a word", Example: "error", Doc: "One of the words listed.", Words: true}
	FormCondition = &Form{Name: "Go expression", Expects: "a Go expression", Example: "'out.Score >= 4'",
		Doc: "A Go expression. Compile errors in it are reported at its place in the spec: the first character after the opening " +
			"quote, or of the first line of a block text. An escape in double quotes (\\\") counts as one column there, so put an " +
			"expression that contains double quotes into single quotes or a block text.", Code: true, Scalar: true,
		Schema: &Schema{Types: []string{"string", "boolean", "number"}, Filled: true}}
	FormPattern = &Form{Name: "regular expression", Expects: "a regular expression", Example: "'^[a-z]+$'",
		Doc: "A regular expression, as package regexp reads it. In single quotes a backslash is one.", Schema: &Schema{Types: []string{"string"}, Filled: true}}
	FormInt = &Form{Name: "int", Expects: "a whole number", Example: "3", Doc: "A whole number, in decimal, without quotes.",
		Schema: &Schema{Types: []string{"integer"}, Min: math.MinInt32, Max: math.MaxInt32}}
	FormNumber = &Form{Name: "number", Expects: "a number", Example: "0.7", Doc: "A number, in decimal, without quotes.",
		Schema: &Schema{Types: []string{"number"}}}
	FormBool     = &Form{Name: "bool", Expects: "true or false", Example: "true", Doc: "`true` or `false`.", Schema: &Schema{Types: []string{"boolean"}}}
	FormDuration = &Form{Name: "duration", Expects: "a duration such as 30s", Example: "1m30s",
		Doc: "Numbers with the units ns, us, ms, s, m, h.", Schema: &Schema{Types: []string{"string"}, Pattern: durationPattern}}
	FormNames = &Form{Name: "names", Expects: "a name or a list of names", Example: "[topic, article]",
		Doc: "A list of names, or a single name.", Single: true, Schema: &Schema{AnyOf: []*Form{FormName, FormNameList}}}
	FormWords = &Form{Name: "words", Expects: "one or more of the words listed", Example: "[skip_to]",
		Doc: "A list of words, or a single one.", Words: true, Single: true}
	FormNameList  = &Form{Name: "list of names", Expects: "a list of names", Example: "[low, high]", Doc: "A list of names.", Schema: &Schema{Items: FormName}}
	FormNameTable = &Form{Name: "names by name", Expects: "a mapping of names to names", Example: "{approved: publish, rejected: draft}",
		Doc: "A mapping of names to names; its order counts.", Schema: &Schema{Values: FormName}}
	formTexts = &Form{Name: "texts by name", Expects: "a mapping of names to texts", Example: "{collect: List the facts., write: Write the report.}"}

	FormValues = &Form{Name: "Go expressions by name", Expects: "a mapping of names to Go expressions",
		Example: "{count: state.Count + 1}", Doc: "A mapping of names to Go expressions; each is written as a Go expression is.",
		Item: formValue, Schema: &Schema{Values: formValue}}
	FormMatch = &Form{Name: "match", Expects: "a mapping of one name to a value", Example: "{status: done}",
		Doc: "A mapping with exactly one entry: a name, and a text, number, bool or null. A name alone is `{NAME: true}`."}
	FormLeast = &Form{Name: "least value", Expects: "a number or true", Example: "0.7",
		Doc: "A number, in decimal, without quotes; `true` for the default."}
	FormScalar = &Form{Name: "value", Expects: "a text, a number, a bool, or a list or a mapping of such", Example: "5",
		Doc:    "A text, a number or a bool; of a list or a map, a list or a mapping of such.",
		Schema: &Schema{Types: []string{"string", "number", "boolean", "array", "object"}}}
	FormTypeText = &Form{Name: "type text", Expects: "a type", Example: "\"[]string\"",
		Doc: "`string`, `int`, `float`, `bool`, `time`, `duration`, `bytes`, `image`, `pdf`, `audio`, `any`, a name declared " +
			"under `types`, a type `NAME.Type` of a file under `use`, or, built from one: `[]T` a list, `map[string]T` a map, " +
			"`?T` a T or nothing. Brackets need quotes.", Schema: &Schema{Types: []string{"string"}, Pattern: typePattern}}
	FormType = &Form{Name: "type", Expects: "a type", Example: "{score: int}",
		Doc: "A type text, an enum, a struct, the fields of a struct, a union, or a Go type."}
	FormEnum = &Form{Name: "enum values", Expects: "a list of names", Example: "[low, high]", Doc: "The values of an enum.",
		Schema: &Schema{Items: FormName}}
	FormStruct = &Form{Name: "fields", Expects: "a mapping of field names to types", Example: "{score: int}",
		Doc: "Fields by name; each is a type text or a field."}
	FormUnion = &Form{Name: "variants", Expects: "a mapping of labels to structs", Example: "{circle: Circle, square: {side: float}}",
		Doc: "The variants of a union by their labels in JSON: a declared struct, or a struct.", Schema: &Schema{Values: FormType}}
	FormGoType = &Form{Name: "Go type", Expects: "an import path and the name of a type", Example: "example.com/shop/money.Amount",
		Doc:    "An import path, a dot, and the name of a Go type; or the name alone, of a type of the graph's own package.",
		Schema: &Schema{Types: []string{"string"}, Filled: true}}
	FormFields = &Form{Name: "state fields", Expects: "a mapping of field names to types", Example: "{topic: string}",
		Doc: "State fields by name; each is a type text or a state field."}
	FormTypes = &Form{Name: "types", Expects: "a mapping of names to types", Example: "{Grade: {enum: [low, high]}}",
		Doc: "Types by name; each is an enum, a struct, the fields of a struct, a union, or a Go type."}
	FormUses = &Form{Name: "files by name", Expects: "a mapping of names to spec files",
		Example: "{common: ../common/common.types.yaml}",
		Doc: "Spec files by the name that their types and templates have here: `common.Verdict`. Paths are relative to the " +
			"file that has them, with slashes. An import path, as `example.com/agents/bricks`, uses all files of types of that Go package.",
		Schema: &Schema{Values: FormName}}
	FormTools   = &Form{Name: "tools", Expects: "a mapping of tool names to tools", Example: "{search: {args: {query: string}}}", Doc: "Tools by name."}
	FormServers = &Form{Name: "MCP servers", Expects: "a mapping of names to MCP servers",
		Example: "{github: {command: [github-mcp-server, stdio], env: [GITHUB_TOKEN]}}", Doc: "MCP servers by name."}
	FormNodes    = &Form{Name: "nodes", Expects: "a mapping of node names to nodes", Example: "{draft: {writes: article}}", Doc: "Nodes by name."}
	FormBranches = &Form{Name: "branches", Expects: "a mapping of branch names to nodes",
		Example: "{facts: search, views: [ask, weigh]}",
		Doc: "By the name of each branch its node, or a list of nodes that run one after the other; or a mapping, for a branch with a " +
			"condition, or one that is a graph."}
	FormBody = &Form{Name: "body", Expects: "a name, a list of names, or a mapping with entry", Example: "improve", Single: true,
		Doc: "A name, a list of names, or a mapping."}
	FormBlocks = &Form{Name: "blocks", Expects: "a list of blocks", Example: "[{name: style, text: Be brief.}]", Doc: "A list of blocks."}
	FormEvals  = &Form{Name: "evals", Expects: "a mapping of names to evals", Example: "{searched: {called: search}}", Doc: "Evals by name."}
	FormEdges  = &Form{Name: "edges", Expects: "a list of edges", Example: "[{from: draft, to: end}]",
		Doc: "A list; each entry is an edge, a branch table, a sequential entry or a loop_until entry."}
	FormFlags = &Form{Name: "flags", Expects: "a list of flags", Example: "[critical, {retryable: {attempts: 5}}]",
		Doc: "A list of flags, or a single one. A flag with settings is a mapping of its name to them."}
	FormGuards = &Form{Name: "guards", Expects: "a list of guards", Example: "[short, {own_order: {reads: [customer]}}]",
		Doc: "A list of guards, or a single one: names of methods. A guard that reads the state, or that a model judges, is a mapping of its name to settings."}
	FormProcessors = &Form{Name: "processors", Expects: "a list of processors",
		Example: "[input_validator, {state_summarizer: {max_length: 500}}]",
		Doc:     "A list of processors, or a single one. A processor with settings is a mapping of its name to them."}
	FormAssert = &Form{Name: "assertion", Expects: "an assertion", Example: "every path to publish passes critic",
		Doc: "A statement about every run: `every path to X passes Y`, `no path from A to B without C`, `X is reachable` or `X " +
			"runs at most N times`. X of the first and third form and B may be `end`, or a named end.",
		Code: true, Schema: &Schema{Types: []string{"string"}, Pattern: `\S`}}
	FormAsserts = &Form{Name: "assertions", Expects: "a list of assertions", Example: "[every path to publish passes critic]",
		Doc: "A list of assertions, or a single one."}
	FormTemplates = &Form{Name: "templates", Expects: "a mapping of names to templates",
		Example: "{terse: {node: {kind: prompt, instructions: Be brief.}}}", Doc: "Templates by name."}
	FormSkills = &Form{Name: "skills", Expects: "a mapping of names to skill groups",
		Example: "{issues: {instructions: Cite issues by their number., tools: [search]}}", Doc: "Skill groups by name."}
	FormParams = &Form{Name: "parameters", Expects: "a mapping of names to types", Example: "{threshold: {type: float, default: 0.5}}",
		Doc: "Parameters by name; each is a type of a parameter, or a parameter."}
	FormAny     = &Form{Name: "anything", Expects: "a value", Example: "5", Doc: "Any value: a text, a number, a bool, a list or a mapping."}
	FormMapping = &Form{Name: "mapping", Expects: "a mapping", Example: "{max_steps: 20}", Doc: "A mapping with keys of its own."}
)

// formValue is FormCondition with an example that sees no output.
var formValue = &Form{Name: FormCondition.Name, Expects: FormCondition.Expects, Example: "'state.Count + 1'", Code: true,
	Scalar: true, Schema: &Schema{Types: []string{"string", "boolean", "number"}, Filled: true}}

// Forms are all of them, in the order of the reference.
var Forms = []*Form{
	FormName, FormText, FormPrompt, FormWord, FormCondition, FormPattern, FormInt, FormNumber, FormBool, FormDuration,
	FormNames, FormWords, FormNameList, FormNameTable, FormValues, FormMatch, FormLeast, FormScalar, FormTypeText, FormType, FormEnum,
	FormStruct, FormUnion, FormGoType, FormFields, FormTypes, FormUses, FormTools, FormServers, FormNodes, FormBody, FormBranches,
	FormBlocks, FormEvals, FormEdges, FormFlags, FormGuards, FormProcessors, FormAssert, FormAsserts, FormTemplates, FormSkills,
	FormParams, FormAny, FormMapping,
}
