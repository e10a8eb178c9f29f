package gotag

import "github.com/graphgen/graphgen/spec/diag"

// top is the beginning of the examples of the rules.
const top = "package g\n\nimport \"github.com/graphgen/graphgen/graph\"\n\n"

// Rules are the rules of graphs in Go. Load also reports those of the YAML reader.
var Rules = []diag.Rule{
	{
		Code: "GG150", Name: "graph-comment",
		Doc:  "A //graphgen:graph comment is not directly above a struct type, or names no graph, or there are two of them above one struct.",
		Bad:  top + "//graphgen:graph g entry=a\nvar _ struct {\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG151", Name: "tag-syntax",
		Doc: "A graphgen tag or comment does not follow the grammar: settings are key=value, edges are -> node, and semicolons " +
			"part the statements of a tag. What follows the mistake is not read. The tag of a field as a whole has to follow Go's " +
			"convention: key:\"value\" pairs with a space between.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func `graphgen:\"doc='does it\"`\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func `graphgen:\"doc='does it'\"`\n}\n",
	},
	{
		Code: "GG152", Name: "comment-word",
		Doc: "A comment begins with //graphgen: and a word that graphgen does not know, or a statement is where it has no " +
			"meaning: the field of a state has no edges.",
		Bad:  top + "//graphgen:graph g entry=a\n//graphgen:egde a -> end\ntype _ struct {\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph g entry=a\n//graphgen:edge a -> end\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG153", Name: "graph-field",
		Doc: "A field of a graph's struct is none of what such a struct holds: nodes, whose types are markers of package graph; " +
			"State, a struct or the name of one; and Types, a struct of structs and of graph.Type.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA     graph.Func\n\tLimit int\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG154", Name: "go-type",
		Doc: "The type of a field is one that the language lacks. It has string, int, float64 and bool, structs and enums, and " +
			"[]T, map[string]T and *T of each.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState struct{ Sizes map[int]int }\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState struct{ Sizes map[string]int }\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG155", Name: "written-twice",
		Doc:  "A setting is written twice: in one tag, in a tag and in a comment above it, or by two fields that have one name. The first one counts.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\t//graphgen:set max_visits=3\n\tA graph.Func `graphgen:\"max_visits=4\"`\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func `graphgen:\"max_visits=4\"`\n}\n",
	},
	{
		Code: "GG156", Name: "own-type",
		Doc: "A type that the package declares cannot be a type of the graph. A struct has named fields of the language's types, " +
			"and no type parameters; an enum is a string or an integer type with constants, all different, none of which is the " +
			"zero value, because that means that nothing is set. Methods that graphgen would generate are used if they are there, " +
			"with the receivers that generated code needs.",
		Bad: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState struct{ Grade Grade }\n\tA graph.Func\n}\n\ntype Grade " +
			"int\n\nconst (\n\tLow Grade = iota\n\tHigh\n)\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState struct{ Grade Grade }\n\tA graph.Func\n}\n\ntype Grade " +
			"int\n\nconst (\n\tLow Grade = iota + 1\n\tHigh\n)\n",
	},
	{
		Code: "GG157", Name: "condition-function",
		Doc: "A condition is the name of a Go function that the package does not have, or that takes what conditions cannot " +
			"give. It may take, in this order, whichever it needs: the node's output, a pointer to the state, a graphrt.Result; and returns a bool.",
		Bad: top + "//graphgen:graph g entry=a no_match=end\ntype _ struct {\n\tA graph.Func `graphgen:\"output=int; -> a if " +
			"small max_iterations=3\"`\n}\n\nfunc small(out string) bool { return out == \"\" }\n",
		Good: top + "//graphgen:graph g entry=a no_match=end\ntype _ struct {\n\tA graph.Func `graphgen:\"output=int; -> a if " +
			"small max_iterations=3\"`\n}\n\nfunc small(out int) bool { return out < 10 }\n",
	},
	{
		Code: "GG158", Name: "taken-name",
		Doc:  "A name that is generated for the graph is declared by the package already. The struct of a graph needs no name of its own: `type _ struct`.",
		Bad:  top + "//graphgen:graph review entry=a\ntype Review struct {\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph review entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG159", Name: "go-syntax",
		Doc: "A file that holds a graph is not Go. Nothing else is reported about it. Types that are missing because they are " +
			"yet to be generated are no mistake.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func;;\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG160", Name: "file-left-out",
		Doc: "A file that holds a graph does not belong to the package of its directory: a build constraint, or the end of its " +
			"name, leaves it out. Generated code would be left without the types that the file declares.",
		Bad:  "//go:build ignore\n\n" + top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG305", Name: "shadowed-name",
		Doc: "The package of a graph declares a name that generated code needs for what it means everywhere: one of the language " +
			"Go, such as error, string, nil or append, or one of a package of the standard library that the graph's generated " +
			"files import, as they do context always and time where the graph has times, or a type of the graph has a name that " +
			"generated functions use for a variable. Go gives the declarations of a package and the imports of its files one scope.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n\ntype error struct{ Text string }\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n\ntype failure struct{ Text string }\n",
	},
	{
		Code: "GG306", Name: "no-package",
		Doc: "The Go files of a folder that holds a graph are not one package: two of them have different package clauses, the " +
			"package is called _, or a build constraint cannot be read.",
		Bad:  "package _\n\nimport \"github.com/graphgen/graphgen/graph\"\n\n//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG307", Name: "comment-form",
		Doc: "A comment above a struct of nodes, a node or a field was meant for graphgen, and has blanks or capitals that keep " +
			"it from being read: graphgen reads //graphgen: and a word, as go reads //go: and a word.",
		Bad:  top + "// graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func\n}\n",
	},
	{
		Code: "GG308", Name: "tag-key",
		Doc:  "The key of a struct tag is almost graphgen, so nothing of the tag is read.",
		Bad:  top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func `graphgn:\"max_visits=3\"`\n}\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tA graph.Func `graphgen:\"max_visits=3\"`\n}\n",
	},
	{
		Code: "GG309", Name: "hidden-field",
		Doc: "A field of a struct of the package is named by the graph, or has settings of graphgen, and is not exported or has " +
			"the tag json:\"-\": it is no field of the graph.",
		Bad: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState article `graphgen:\"input=topic\"`\n\tA graph.Func " +
			"`graphgen:\"reads=topic\"`\n}\n\ntype article struct{ topic string }\n",
		Good: top + "//graphgen:graph g entry=a\ntype _ struct {\n\tState article `graphgen:\"input=topic\"`\n\tA graph.Func " +
			"`graphgen:\"reads=topic\"`\n}\n\ntype article struct{ Topic string }\n",
	},
}
