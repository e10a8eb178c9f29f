package golang

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
)

// A taggedPackage is a package that holds a graph.
type taggedPackage struct {
	name string
	text string // without its package clause

	refused string // the message of what GG305 refuses, and so is not built
}

const oneNode = `
import "github.com/graphgen/graphgen/graph"

//graphgen:graph g entry=a no_match=end
type _ struct {
	State struct { N int } ` + "`graphgen:\"input=n; output=n\"`" + `
	A graph.Func ` + "`graphgen:\"reads=n; writes=n\"`" + `
}
`

// clashingNames is a graph whose nodes and fields have names that generated code, the language or
// graphs in Go have for something else. It lacks its state, and what declares it.
const clashingNames = `
import "github.com/graphgen/graphgen/graph"

//graphgen:graph g entry=tools no_match=end max_steps=30
type _ struct {
	State    %s ` + "`graphgen:\"input=input,state,end,end_,types; output=tools,types,output\"`" + `
	Tools    graph.Func ` + "`graphgen:\"reads=input,end_,end; writes=tools; -> input if state.Tools>1; -> output\"`" + `
	Input    graph.Func ` + "`graphgen:\"reads=tools,state; writes=types; -> end_ if out.Types>state.Tools; -> output\"`" + `
	End_     graph.Func ` + "`graphgen:\"reads=types; writes=end_,output; -> run\"`" + `
	Output   graph.Func ` + "`graphgen:\"reads=types; writes=output; -> handlers\"`" + `
	Run      graph.Func ` + "`graphgen:\"-> result\"`" + `
	Result   graph.Func ` + "`graphgen:\"-> error\"`" + `
	Error    graph.Func ` + "`graphgen:\"-> option\"`" + `
	Option   graph.Func ` + "`graphgen:\"-> handlers\"`" + `
	Handlers graph.Func ` + "`graphgen:\"-> end\"`" + `
}

%s`

const clashingState = `struct {
	Tools, Input, End_, End, Output, State, Types int
}`

// conditional is a graph with a condition.
func conditional(text string) string {
	return strings.Replace(oneNode, "writes=n\"", "writes=n; -> end if "+text+"\"", 1)
}

var taggedPackages = []taggedPackage{
	{name: "externalconditions", text: `
import (
	"encoding/json"
	"time"

	js "github.com/go-json-experiment/json/jsontext"
	"github.com/graphgen/graphgen/graph"
	"github.com/graphgen/graphgen"

	"example.com/tagged/verdict"
)

//graphgen:graph g entry=one no_match=end
type _ struct {
	State S          ` + "`graphgen:\"output=v\"`" + `
	One   graph.Func ` + "`graphgen:\"output=Verdict; writes=v; -> two if isGood\"`" + `
	Two   graph.Func ` + "`graphgen:\"output=any; writes=raw; -> three if isRaw\"`" + `
	Three graph.Func ` + "`graphgen:\"output=RawMessage; writes=text; -> four if isText\"`" + `
	Four  graph.Func ` + "`graphgen:\"output=[]Verdict; writes=list; -> five if isList\"`" + `
	Five  graph.Func ` + "`graphgen:\"output=?Verdict; writes=may; -> six if isMay\"`" + `
	Six   graph.Func ` + "`graphgen:\"output=time; writes=at; -> seven if isAt\"`" + `
	Seven graph.Func ` + "`graphgen:\"output=bytes; writes=data; -> eight if isData\"`" + `
	Eight graph.Func ` + "`graphgen:\"output=map[string]any; writes=all; -> end if isAll\"`" + `
}

type S struct {
	V    verdict.Verdict
	Raw  js.Value
	Text json.RawMessage
	List []verdict.Verdict
	May  *verdict.Verdict
	At   time.Time
	Data []byte
	All  map[string]js.Value
}

type raw = js.Value

func isGood(out verdict.Verdict, s *S) bool        { return out.Good && s.V.Good }
func isRaw(out raw, s *S) bool                     { return out.Kind() == s.Raw.Kind() }
func isText(out json.RawMessage) bool              { return len(out) > 1 }
func isList(out []verdict.Verdict, s *S) bool      { return len(out) > len(s.List) }
func isMay(out (*verdict.Verdict)) bool            { return out != nil }
func isAt(out time.Time, res graphgen.Result) bool  { return out.IsZero() && res.Step > 1 }
func isData(out []uint8) bool                      { return len(out) > 1 }
func isAll(out map[string]raw) bool                { return len(out) > 1 }
`},
	{name: "conditionsonenums", text: `
import "github.com/graphgen/graphgen/graph"

//graphgen:graph g entry=a max_steps=20
type _ struct {
	State S          ` + "`graphgen:\"output=worst,level\"`" + `
	A     graph.Func ` + "`graphgen:\"writes=worst; output=Worst; -> b if out.Worst == Fatal || out.Worst == Major; -> b if out.Worst == Minor\"`" + `
	B     graph.Func ` + "`graphgen:\"writes=level; output=Rank; -> end if out.Level > Low; -> c if out.Level == Low\"`" + `

	//graphgen:edge -> end on_output={worst: minor}
	//graphgen:edge -> d if out.Worst > Fatal
	//graphgen:edge -> end if out.Worst != Minor && out.Worst != Major
	C graph.Func ` + "`graphgen:\"writes=worst; output=Worst\"`" + `
	D     graph.Func
}

type S struct {
	Worst Severity
	Level Level
}

type Worst struct{ Worst Severity }

type Rank struct{ Level Level }

type Severity string

const (
	Minor Severity = "minor"
	Major Severity = "major"
	Fatal Severity = "fatal"
)

type Level int

const (
	High Level = 3
	Mid  Level = 2
	Low  Level = 1
)
`},
	{name: "variablesofonename", text: `
import "github.com/graphgen/graphgen/graph"

//graphgen:graph g entry=a no_match=end
type _ struct {
	State S          ` + "`graphgen:\"input=order,item,high,low; output=order,item,high,low\"`" + `
	A     graph.Func
}

type S struct {
	Order Order
	Item  OrderItem
	High  Level
	Low   level
}

type Order struct {
	ItemNote string ` + "`graphgen:\"max_length=9\"`" + `
}

type OrderItem struct {
	Note string ` + "`graphgen:\"max_length=9\"`" + `
}

type Level string

const High Level = "high"

type level int

const Low level = 1
`},
}

func init() {
	const others = "\nfunc slices() {}\nfunc strconv() {}\nvar math, strings int\n"
	over := strings.Replace(oneNode, "struct { N int }", "struct { N int; L []int; I int }", 1)
	over = strings.Replace(over, "A graph.Func `graphgen:\"reads=n; writes=n\"`",
		"A graph.Map `graphgen:\"over=l; item=i; body=b\"`\n\tB graph.Func `graphgen:\"reads=i\"`", 1)
	over = strings.Replace(over, "input=n", "input=n,l", 1)
	taggedPackages = append(taggedPackages,
		taggedPackage{name: "clashingnames", text: fmt.Sprintf(clashingNames, clashingState, "")},
		taggedPackage{name: "clashingnamesofpackage", text: fmt.Sprintf(clashingNames, "Input", "type Input "+clashingState+"\n\n")},
		taggedPackage{name: "namesofimports", text: oneNode + others + "\ntype time struct{}\n\ntype utf8 struct{}\n"},
		taggedPackage{name: "ownmath", text: conditional("state.N > 1") + others},
		taggedPackage{name: "mathcalled", text: conditional("math.Abs(float64(state.N)) > 1") + "\ntype math int\n",
			refused: "declares math, which generated code needs as the name of a package"},
		taggedPackage{name: "utf8called", text: conditional("utf8.RuneLen(rune(state.N)) > 1") + "\ntype utf8 int\n", refused: "declares utf8, "},
		taggedPackage{name: "stringscalled", text: conditional("strings.ToUpper(string(rune(state.N))) > string(rune(65))") + "\nfunc strings() {}\n",
			refused: "declares strings, "},
		taggedPackage{name: "branchesnumbered", text: over + "\nfunc strconv() {}\n", refused: "declares strconv, "},
		taggedPackage{name: "timeheld", text: strings.Replace(oneNode, "N int", "N int; T any `graphgen:\"type=time\"`", 1) + "\nfunc time() {}\n",
			refused: "declares time, "},
		taggedPackage{name: "ownmax", text: oneNode + "\nfunc max(a, b int) int { return a }\n\ntype rune struct{}\n\nvar cap, min int\n"},
		taggedPackage{name: "maxmerged", text: strings.Replace(oneNode, "struct { N int }", "struct { N int `graphgen:\"merge=max\"` }", 1) +
			"\nfunc max(a, b int) int { return a }\n", refused: "declares max, which generated code needs as a name of the language Go"},
		taggedPackage{name: "mincalled", text: conditional("min(state.N, 3) > 1") + "\nfunc min(a, b float64) float64 { return a }\n",
			refused: "declares min, "},
		taggedPackage{name: "runecalled", text: conditional("rune(state.N) > 1") + "\ntype rune struct{}\n", refused: "declares rune, "},
		taggedPackage{name: "contextdeclared", text: oneNode + "\nfunc context() {}\n", refused: "declares context, "},
	)
}

// TestTaggedPackages builds what graphs in Go become, together with their packages.
func TestTaggedPackages(t *testing.T) {
	dir := newModule(t, "example.com/tagged")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
	writeFile(t, filepath.Join(dir, "verdict"), "verdict.go", `package verdict

import "github.com/go-json-experiment/json/jsontext"

type Verdict struct{ Good bool }

func (v *Verdict) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteToken(jsontext.Bool(v.Good)) }

func (v *Verdict) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t, err := d.ReadToken()
	v.Good = err == nil && t.Bool()
	return err
}
`)
	for _, p := range taggedPackages {
		t.Run(p.name, func(t *testing.T) { p.emit(t, filepath.Join(dir, p.name)) })
	}
	command := exec.Command("go", "vet", "./...")
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// emit writes a package and what its graphs become.
func (p taggedPackage) emit(t *testing.T, dir string) {
	writeFile(t, dir, "g.go", "package "+p.name+"\n"+p.text)
	graphs, found, err := gotag.Load(context.Background(), gotag.Config{Dir: dir, Files: []string{"g.go"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range graphs {
		found = append(found, check.Run(cfg.Of(g))...)
	}
	if !diag.HasErrors(found) && len(graphs) == 1 {
		shadowed, err := Shadowed(cfg.Of(graphs[0]))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, shadowed...)
	}
	found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if p.refused != "" {
		if len(found) != 1 || found[0].Code != "GG305" || !strings.Contains(found[0].Message, p.refused) {
			t.Errorf("%v, want what %s", found, p.refused)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(found) > 0 || len(graphs) != 1 {
		t.Fatal(found)
	}
	files, err := Emit(plan.Lower(cfg.Of(graphs[0]), p.name))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		writeFile(t, dir, f.Name, string(f.Content))
	}
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
