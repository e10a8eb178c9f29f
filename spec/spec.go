// Package spec holds the graph spec language: plain data as an author
// wrote it, every value with its position. Load reads it from YAML. Package resolve binds
// its names, and package check judges it.
package spec

import (
	"path"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Pos is a place in a spec file.
type Pos = diag.Pos

// A Value is something the author wrote, with its place. The zero Value was not written.
type Value[T any] = yamlread.Value[T]

// String is a written string: a name, a condition, a text.
type String = yamlread.String

// A Graph is one spec file.
type Graph struct {
	File   string // as it was named to Load
	Source []byte // the file's text, for diagnostics
	Pos    Pos    // of the document
	Import string // import path of the file's Go package, where linking had to find it out
	Away   bool   // its code is generated for another package: Go types of its own are imported

	Name    String
	Doc     String
	Entry   String // name of the first node; the same as a node's entry flag
	Limits  Limits
	OnError String // handles failures of nodes without a failure route of their own
	NoMatch String // "error" or "end": the default of nodes

	Use    []*Use // files whose types and templates the file uses
	Types  []*TypeDecl
	Tools  []*ToolDecl
	MCP    []*Server // servers whose tools its models may call
	Skills []*Skill  // skill groups, which nodes name
	State  []*Field
	Input  []String // state fields a caller gives
	Output []String // state fields a caller gets
	Nodes  []*Node

	Templates []*Template
	Pattern   String            // the template that the graph is made of
	With      Tree              // its arguments, a mapping
	Expanded  bool              // templates have been expanded
	Lost      bool              // a template could not be found: what the graph has besides is not known
	Expanding []diag.Diagnostic // what is wrong with uses of templates, once package template has expanded them

	Edges []*Edge  // in the order of the spec; Expand replaces the shorthands
	Ends  []String // names of ends besides end

	Codecs    String      // needed (default), or all
	Durable   Value[bool] // runs may be made in threads
	Serve     Value[bool] // the machine describes itself as JSON
	Drivers   []String    // words of DriverNames: other engines that the machine runs on
	Mode      String      // static (default), or autonomous: the nodes are a pool
	Mutations *Mutations

	InterruptBefore, InterruptAfter       []String // nodes at whose boundary a run pauses
	InterruptBeforePos, InterruptAfterPos Pos

	RevisitFeedback Value[bool] // the default of nodes: prompts of later visits include the visit before

	Model       String         // that is asked where a node names none
	Temperature Value[float64] // of requests of nodes that have none

	// Unread reports that a part of the file could not be read: an unknown or duplicate key,
	// or a section of the wrong form. A value that seems missing may be that part. The field
	// Unread of limits, fields, nodes and edges has the same meaning.
	Unread bool
	Stray  map[string]bool // names that keys without a place have: such a key may be meant for ends
	Go     GoGraph         // what only a graph in Go has
	Flawed bool            // the reader has reported something

	Assertions []*Assertion // what holds for every run
}

// An Assertion is an entry of the assert section.
type Assertion struct {
	That String // the statement; its place is the place of its first character
	Doc  String
}

// TypesSuffix is how the name of a file ends that holds types and no graph.
const TypesSuffix = ".types.yaml"

// TypesOnly reports whether the file holds types and no graph.
func (g *Graph) TypesOnly() bool { return strings.HasSuffix(g.File, TypesSuffix) }

// A Use is an entry of the use section: a spec file whose types are known here as
// NAME.Type. Package link finds the file; Load does not.
type Use struct {
	Name String
	File String // relative to the folder of the file with the use, with slashes; or an import path

	Graph   *Graph   // what the file holds; nil until it is linked, and where it cannot be
	More    []*Graph // the other files of a Go package
	Problem *Problem // why it cannot be linked
	Used    bool     // a template of the file is used, or a node names the file
	OfNode  bool     // it is not written: the linker added it, for a file that nodes name
}

// NamesFile reports whether the key graph of a node names a file, not a graph by its name.
func NamesFile(graph string) bool {
	return strings.Contains(graph, "/") || strings.HasSuffix(graph, ".yaml")
}

// Names reports whether the key graph of a node names what is used: by its name, if that is written, or by the path of its file.
func (u *Use) Names(graph string) bool {
	return !u.OfNode && graph != "" && u.Name.V == graph || NamesFile(graph) && path.Clean(u.File.V) == path.Clean(graph)
}

// Graphs returns what the files of the use hold: one file, or all files of types of a Go package.
func (u *Use) Graphs() []*Graph {
	if u.Graph == nil {
		return nil
	}
	return append([]*Graph{u.Graph}, u.More...)
}

// OfPackage reports whether the use names a Go package by its import path, not a file.
func (u *Use) OfPackage() bool {
	first, _, below := strings.Cut(u.File.V, "/")
	return below && first != "." && first != ".." && first != "" && !strings.HasSuffix(u.File.V, ".yaml")
}

// ImportPath returns the import path of the Go package that the used file's types are in;
// empty where that is the package of the file that uses it.
func (u *Use) ImportPath(by *Graph) string {
	if u.Graph == nil || u.Graph.Import == by.Import {
		return ""
	}
	return u.Graph.Import
}

// A Problem is what is wrong with a use or with a file of a text, for a diagnostic at its place.
type Problem struct {
	Code, Message, Help string
	Pos                 Pos // where it is, if not at the path
}

// Mutations say how a run may change its graph; nil where it may not.
type Mutations struct {
	Pos       Pos
	Allow     []String // words of Actions
	Kinds     []String // kinds of the nodes that may be added
	Templates []String // nodes of the graph of which more may be made
	Update    []String // state fields that retry_with may set
	Reads     []String // state fields that an added node of a kind may be shown
	Writes    []String // state fields that it may write
	Tools     []String // tools of the graph that its model may call
	Max       Value[int]

	Unread bool
}

// Limits bound a run.
type Limits struct {
	Pos        Pos
	MaxSteps   Value[int]           // default 50
	OnMaxSteps String               // "error" (default), "last" or "flag"
	MaxVisits  Value[int]           // of nodes that do not say it; default 25
	Timeout    Value[time.Duration] // of the whole run; none by default

	// Budgets of the models and tools of a run; none by default.
	MaxTokens     Value[int]     // in and out
	MaxCost       Value[float64] // US dollars
	MaxModelCalls Value[int]
	MaxToolCalls  Value[int]

	Unread bool
}

// A ToolDecl is an entry of the tools section: a method of the generated interface.
type ToolDecl struct {
	Name      String
	Doc       String
	Args      []*Field
	Returns   *TypeExpr            // nil: text
	Approve   Value[bool]          // a person approves its calls
	Client    Value[bool]          // the caller of the machine runs it
	Pure      Value[bool]          // the same arguments always give the same result
	Timeout   Value[time.Duration] // of one call
	MaxResult Value[int]           // bytes a result may have
	Reads     []String             // state fields that the method is given, and no model is shown

	Unread bool
}

// A TypeDecl is a named entry of the types section.
type TypeDecl struct {
	Name String
	Type *TypeExpr
	Go   *GoType // the Go type it is; nil: one is declared for it
}

// TypeKind is the form of a TypeExpr.
type TypeKind uint8

const (
	TypeNamed    TypeKind = iota // string, int …, a declared name, or one of a used file: use.Name
	TypeList                     // []T
	TypeMap                      // map[string]T
	TypeOptional                 // ?T
	TypeEnum                     // {enum: [a, b]}
	TypeStruct                   // {struct: {field: type}}; under types and output also {field: type}
	TypeUnion                    // {union: {label: type}, discriminator: key}
	TypeGo                       // {go: import/path.Name}, or {go: Name} of the graph's own package
)

// A TypeExpr is a type as the author wrote it.
type TypeExpr struct {
	Kind    TypeKind
	Pos     Pos
	Name    string       // TypeNamed
	Elem    *TypeExpr    // TypeList, TypeMap, TypeOptional
	Values  []String     // TypeEnum
	Renamed []Assignment // TypeEnum: values by name, and the names that they had
	Fields  []*Field     // TypeStruct
	Doc     String       // TypeEnum, TypeStruct, TypeUnion, TypeGo

	Variants      []Variant // TypeUnion
	Discriminator String    // TypeUnion: the JSON member that holds the label; default "type"
	Unread        bool      // TypeUnion: some of it could not be read
	Go            String    // TypeGo: import path, a dot, and the type's name; or the name alone
}

// Was returns the name that a value of an enum had in an earlier release; empty: none.
func (t *TypeExpr) Was(value string) string {
	for _, a := range t.Renamed {
		if a.Name.V == value {
			return a.Field.V
		}
	}
	return ""
}

// A Variant is a member of a union: its label in JSON, and its struct.
type Variant struct {
	Label String
	Type  *TypeExpr
}

// A Field is a field of the state or of a struct type.
type Field struct {
	Name String
	Type *TypeExpr
	Doc  String
	Min  Value[float64] // of a number, inclusive
	Max  Value[float64] // of a number, inclusive

	MinLength Value[int] // of a string in characters, of bytes, of the elements of a list or map
	MaxLength Value[int]
	MaxBytes  Value[int]
	Media     []String // MIME types that media may have
	Pattern   String   // a string's regular expression, of package regexp, found anywhere in it
	Format    String   // a string's format: one of the names of JSON Schema that package codec checks
	Default   *Scalar  // what a decoder gives to a field that is absent, and the state at the start; null if it could not be read

	Merge   String      // state only: last, append, union, sum, max, min, custom
	Keep    Value[int]  // state only, of a list with the rule append: the most elements, of which the oldest go
	Private Value[bool] // state only: no model is shown it, and none writes it
	Secret  Value[bool] // state only: threads keep it sealed
	Carry   Value[bool] // state only: the next run of a thread begins with its value

	RenamedFrom String // the name that it had in an earlier release

	Unread bool
	GoName string // the Go field; empty: made of Name
}

// A Node is one node of the graph.
type Node struct {
	Name        String
	Kind        String // a word of Kinds; func where it is not written
	RenamedFrom String // the name that it had in an earlier release
	Doc         String
	Reads       []String
	Writes      []String
	Output      *TypeExpr

	// ReadsPos and WritesPos are the places of the lists, set even when they are empty.
	ReadsPos, WritesPos Pos

	Goto        []String     // nodes the handler may name (rule 3)
	Routes      []String     // kind router: nodes to choose from
	Transitions []Transition // rule 5, in order; the key "error" is the way of a failure
	Next        String       // rule 6
	NoMatch     String       // rule 7: "error" or "end"
	OnPass      String       // kind guard
	OnFail      String       // kind guard

	Body          []String   // kinds loop, retry and map: the nodes they run, one after the other; of a body that is a graph, its entry
	BodyPos       Pos        // place of the list, set even when it is empty
	BodyGraph     bool       // the body is a graph, and Body its entry
	Until         String     // kind loop: the Go condition that ends it
	MaxIterations Value[int] // kind loop: default 10
	Retry         Retry      // kind retry

	Branches    []Branch // kind parallel
	BranchesPos Pos      // place of the mapping, set even when it is empty
	Join        String   // kinds parallel and map: a word of Joins
	Count       Value[int]
	Over, Item  String // kind map: the list, and the field that holds an element in its branch

	Graph    String       // kind subgraph: a name of use, or the graph's own
	In       []Assignment // kind subgraph: inputs of the graph by name, and the state fields they are taken from
	Out      []Assignment // kind subgraph: state fields by name, and the outputs of the graph that are written to them
	MaxDepth Value[int]   // kind subgraph: of a graph that runs itself

	ChildWorkflow Value[bool] // kind subgraph: on Temporal, the run is a workflow of its own

	Pool        []String // kind autonomous: the nodes that the model picks from
	PoolPos     Pos
	PoolEntry   String   // kind autonomous: the first; not set: the model picks it
	Terminal    []String // kind autonomous: the nodes after which it ends
	AllowRepeat Value[bool]
	MaxSteps    Value[int] // kind autonomous

	OnDeny, OnTimeout String // kind human
	Record            String // kind human: the field with what was decided, by whom and when

	Mutates Value[bool] // it may change the graph of its run

	Guards       []Guard // checks the output must pass
	GuardRetries Value[int]
	MaxVisits    Value[int] // default: the graph's, under limits
	Timeout      Value[time.Duration]
	Transaction  Value[bool] // of a func node: its handler is in a transaction of the store of threads
	FailSoft     Value[bool]
	Flags        []Flag
	Prompt       Prompt
	Tool         String       // kind tool: the tool it calls; not set: those that are pending
	Args         []Assignment // kind tool: arguments by name
	Set          []Assignment // kind set: state fields by name, and the Go expressions of their values
	Instance     *Instance    // as it was written, where its kind may be a template, or it names skill groups; nil once it is expanded
	Say          String       // kind say: the text, with {{field}} placeholders
	Payload      []Assignment // kind say: what goes with it by name, and the state fields it is taken from
	Evals        []*Eval

	Unread bool
}

// GuardNames returns the names of the guards.
func (n *Node) GuardNames() []String {
	var names []String
	for _, g := range n.Guards {
		names = append(names, g.Name)
	}
	return names
}

// A Table is a key of a node that assigns values by name.
type Table struct {
	Key  string
	List []Assignment
}

// Tables returns the keys of the node that assign values by name, those that it does not have too.
func (n *Node) Tables() []Table {
	return []Table{{"args", n.Args}, {"in", n.In}, {"out", n.Out}, {"set", n.Set}, {"payload", n.Payload}}
}

// A Branch is an entry of a parallel's branches: nodes that run one after the other, or a graph.
type Branch struct {
	Name   String
	Nodes  []String // of a graph, its entry
	Graph  bool
	If     String // a Go condition over the state: whether the branch is started
	IfFunc string // the Go function that If calls, where it calls one
	Unread bool
}

// A Prompt holds the settings of a node that asks a model: a prompt, or a router or guard with
// instructions.
type Prompt struct {
	Instructions Text   // the system prompt, with {{field}} placeholders for fields that the node reads
	Message      Text   // the user's turn, with placeholders
	Perspective  Text   // who the model is
	Strategy     String // how it goes about it
	Blocks       []*Block
	TokenBudget  Value[int] // of the instructions, the message and blocks; the least important blocks go first
	Inherits     []String   // nodes whose last output is shown

	History     String     // the conversation that the node continues: a state field of type messages
	Context     String     // full (default), scoped, ledger, auto
	MaxMessages Value[int] // of the messages before, that the model is shown
	MaxHistory  Value[int] // of the same, in tokens

	Skills         []String // skill groups; none once they are expanded
	Tools          []String // tools of the graph that the model may call
	ToolsPos       Pos
	Approve        []String // tools whose calls a person approves
	ApprovePos     Pos
	ApproveTimeout Value[time.Duration] // how long an approval is waited for

	AllowTools  []String // of the tools injected at run time; none: all
	DenyTools   []String // of the tools injected at run time
	ToolChoice  String   // auto (default), none, required, or a tool's name
	ToolLoop    Value[bool]
	MaxParallel Value[int] // concurrent calls of one turn; default 8

	Repair      Value[int] // how often an answer that does not fit is sent back; default 1
	Model       String
	Temperature Value[float64]
	MaxTokens   Value[int] // of one answer

	Before []Processor // of the prompt: words, or methods of the handlers
	After  []Processor // of the answer

	RevisitFeedback Value[bool]
}

// A Processor is an entry of a node's before or after: a name, or a name with settings.
type Processor struct {
	Name      String
	MaxLength Value[int]   // of state_summarizer and output_truncator, in characters
	Keys      []String     // of json_extractor: the members that are left
	Fields    []Assignment // of state_writer: by state field the member of the answer

	Unread bool
}

// Plain reports whether the processor has no settings.
func (p *Processor) Plain() bool {
	return !p.MaxLength.IsSet() && len(p.Keys) == 0 && len(p.Fields) == 0
}

// ProcessorNames returns the names of processors.
func ProcessorNames(list []Processor) []String {
	names := make([]String, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// A Guard is an entry of a node's guards: a name, or a name with settings.
type Guard struct {
	Name  String
	Judge String   // what a model has to judge about the output; not set: a method checks it
	Reads []String // state fields that the method, or the model, is given besides the output

	Unread bool
}

// A Block is a part of a prompt that may be left out for want of room.
type Block struct {
	Name     String
	Text     Text       // with {{field}} placeholders
	Priority Value[int] // default 0; the lowest goes first

	Unread bool
}

// An Assignment gives the argument of a tool the value of a state field.
type Assignment struct {
	Name  String
	Field String
}

// An Eval is an entry of a node's evals: a named verdict on what the node did, which
// conditions see as evals.Name. It has exactly one of its rules.
type Eval struct {
	Name      String
	Doc       String
	Called    []String // tools, each of which must have been called in this visit's turns
	NotCalled []String // tools, none of which may have been
	If        String   // a Go expression over out, state and res
	IfFunc    string
	Judge     String   // what the model judges of the output
	Reads     []String // state fields that this model is shown besides the output

	Unread bool
}

// A Transition is an entry of a node's transitions.
type Transition struct {
	Key String
	To  String
}

// A Flag is an entry of a node's flags: a name, or a name with settings.
type Flag struct {
	Name  String
	Retry *Retry // settings of retryable, nil when none are written

	Approval *Approval // settings of requires_human, nil when none are written
}

// Approval holds the settings of the flag requires_human.
type Approval struct {
	Question String
	Timeout  Value[time.Duration]

	Unread bool
}

// Retry holds the settings of the flag retryable, and of kind retry.
type Retry struct {
	Attempts Value[int]           // executions in all
	Wait     Value[time.Duration] // before the second attempt
	Factor   Value[float64]       // by which the wait grows each time
	MaxWait  Value[time.Duration] // the longest one
	On       String               // "transient" (default) or "any" error

	Unread bool
}
