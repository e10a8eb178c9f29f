package releases

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/shape"
)

// A version is a graph as a package of the program.
type version struct {
	pkg     string
	flow    *cfg.Graph
	lock    *shape.Lock
	inner   *version // the graph that it runs, which is of the same package
	prompts bool     // the machine has a model
	drafts,
	migrations string // Go code
}

// write writes the package.
func (v *version) write(t *testing.T, module *tempmodule.Module) {
	t.Helper()
	if v.inner != nil {
		v.inner.write(t, module)
	}
	m := plan.Lower(v.flow, v.pkg)
	files, err := golang.Emit(m)
	if err != nil {
		t.Fatal(v.pkg, err)
	}
	released := plan.LowerVersions(m, v.flow, v.lock)
	more, err := golang.EmitVersions(m, released)
	if err != nil {
		t.Fatal(v.pkg, err)
	}
	for _, f := range append(files, more...) {
		module.Write(v.pkg+"/"+f.Name, string(f.Content))
	}
	args := "work" + m.GoName + "{}"
	if v.inner != nil {
		args += ", newInner()"
	}
	if v.prompts {
		args += ", play.Model"
	}
	module.Write(v.pkg+"/"+m.Name+"_work.go",
		"package "+v.pkg+"\n\nimport (\n\t\"context\"\n\n\t\"github.com/graphgen/graphgen/mutation\"\n\t\""+tempmodule.Internal+
			"/play\"\n)\n\nvar _ mutation.Change\n\ntype work"+m.GoName+" struct{}\n\n"+handlers(t, m, files, v.drafts))
	if v.migrations != "" {
		checked := strings.ReplaceAll(v.migrations, "err error) {", "err error) {\n\tif err = play.Unwritten(); err != nil {\n\t\treturn\n\t}\n")
		module.Write(v.pkg+"/"+m.Name+"_migrations.go",
			"package "+v.pkg+"\n\nimport (\n\t\"strconv\"\n\n\t\""+tempmodule.Internal+"/play\"\n)\n\nvar _ = strconv.Itoa\n\n"+checked)
	}
	if m.Name == "inner" {
		module.Write(v.pkg+"/inner_new.go",
			"package "+v.pkg+"\n\nfunc newInner() *Inner {\n\tm, err := NewInner("+args+")\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn m\n}\n")
		return
	}
	answers := ""
	if m.Pauses() {
		answers = fmt.Sprintf(answering, m.GoName)
	}
	module.Write(v.pkg+"/play.go", fmt.Sprintf(playing, v.pkg, m.GoName, args, tempmodule.Internal, m.Name, answers))
}

// handlers returns the handlers of a machine. A node writes its name to each list of texts, and nothing else; drafts has
// the body of draft.
func handlers(t *testing.T, m *plan.Machine, files []golang.File, drafts string) string {
	t.Helper()
	set := token.NewFileSet()
	types := map[string]ast.Expr{}
	for _, f := range files {
		file, err := parser.ParseFile(set, f.Name, f.Content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				types[s.Name.Name] = s.Type
			}
			return true
		})
	}
	var b strings.Builder
	for _, method := range types[m.Names.HandlersType].(*ast.InterfaceType).Methods.List {
		name, f := method.Names[0].Name, method.Type.(*ast.FuncType)
		fmt.Fprintf(&b, "func (work%s) %s(ctx context.Context", m.GoName, name)
		for _, p := range f.Params.List[1:] {
			fmt.Fprintf(&b, ", in %s", text(set, p.Type))
		}
		out := ""
		if len(f.Results.List) > 1 {
			out = text(set, f.Results.List[0].Type)
			changes := ""
			if len(f.Results.List) > 2 {
				changes = "changes []mutation.Change, "
			}
			fmt.Fprintf(&b, ") (out %s, %serr error) {\n", out, changes)
		} else {
			b.WriteString(") (err error) {\n")
		}
		fmt.Fprintf(&b, "\tplay.Passes(%q)\n", strings.ToLower(name))
		switch s, ok := types[out].(*ast.StructType); {
		case name == "Draft" && drafts != "":
			b.WriteString(drafts)
		case name == "Draft":
			b.WriteString("\terr = play.ErrAgain\n")
		case ok:
			for _, field := range s.Fields.List {
				if text(set, field.Type) == "[]string" {
					fmt.Fprintf(&b, "\tout.%s = []string{%q}\n", field.Names[0].Name, strings.ToLower(name))
				}
			}
		}
		b.WriteString("\treturn\n}\n\n")
	}
	return b.String()
}

func text(set *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, set, n); err != nil {
		return err.Error()
	}
	return b.String()
}

// playing is what a process does with a version.
const playing = `package %[1]s

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
	"%[4]s/play"
)

var _ = play.Asked
var _ graphgen.Option

// Play does with the thread what act says.
func Play(act string, store thread.Store) (string, error) {
	ctx := context.Background()
	m, err := New%[2]s(%[3]s, play.In(store))
	if err != nil {
		return "", err
	}
	var out %[2]sOutput
	id := "t"
	switch act {
	case "start":
		out, err = m.Thread(id).Start(ctx, %[2]sInput{Topic: "otters"})
	case "list", "recover", "work":
		switch act {
		case "recover":
			m.Thread(id).Recover(ctx)
		case "work":
			play.Work(store, %[5]q, thread.Shape(m), func(ctx context.Context, id string) error {
				_, err := m.Thread(id).Recover(ctx)
				return err
			})
		}
		text := ""
		for t, err := range m.Threads(ctx, thread.Filter{}) {
			if err != nil {
				return text, err
			}
			text += play.Listed(t)
		}
		return text, nil
	case "fork":
		topic := ""
		err = m.Thread(id).Fork(ctx, 0, "u", func(s *%[2]sState) { topic = s.Topic })
		if s, wrong := m.Thread(id).StateAt(ctx, 0); err != nil || wrong != nil || s.Topic != "otters" || topic != "otters" {
			return topic, errors.Join(err, wrong, errors.New("the state is of topic " + s.Topic))
		}
		id = "u"
		fallthrough
	default:
		forked := m.Thread(id).Fork(ctx, 0, "fork", func(*%[2]sState) {}) // brings the state to this version, too
		if out, err = m.Thread(id).Recover(ctx); play.Refused(err) != play.Refused(forked) {
			return "", errors.New("Recover and Fork differ: " + play.Text(err) + ", " + play.Text(forked))
		}
	}
%[6]s	if err != nil {
		return "", err
	}
	text, err := json.Marshal(out)
	return string(text), err
}
`

// answering is what a process does where the run waits.
const answering = `	for q := play.Asked(err); act != "start" && q != ""; q = play.Asked(err) {
		out, err = m.Thread(id).Resume(ctx, graphgen.AnswerJSON[%s](q, []byte("\"approve\"")))
		if act == "answer" {
			break // one request
		}
	}
`

// helping is package play of the program.
const helping = `package play

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/seal"
)

// Model answers each prompt alike.
var Model = chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "noted"}, Finish: chat.Stop}, nil
})

// In returns the option with the store, and with the keys that a variable names, the newest one first.
func In(store thread.Store) thread.Option {
	set := thread.Settings{Store: store}
	if os.Getenv("RELEASES_SNAPSHOTS") != "" {
		set.Snapshot = 1 // each record is one
	}
	var list []seal.Key
	for id := range strings.SplitSeq(os.Getenv("RELEASES_KEYS"), ",") {
		list = append(list, seal.Key{ID: id, Bytes: []byte(strings.Repeat(id, 32))})
	}
	if list[0].ID != "" {
		keys, err := seal.New(list[0], list[1:]...)
		if err != nil {
			panic(err)
		}
		set.Seal = keys
	}
	return thread.With(set)
}

// Work recovers the first thread that a worker finds, and gives up after a minute.
func Work(store thread.Store, graph, shape string, run func(context.Context, string) error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	thread.Recover(ctx, store, thread.Recovery{Graph: graph, Shape: shape, Every: time.Millisecond, Run: func(_ context.Context, id string) error {
		defer cancel()
		return run(context.Background(), id)
	}})
}

// Listed returns what a list has of a thread.
func Listed(t thread.Info) string {
	text := fmt.Sprint(t.Name, " ", t.Status)
	for _, q := range t.Requests {
		text += fmt.Sprint(" ", q.ID, " ", q.Where.Node, " ", q.Question)
	}
	return text
}

// ErrAgain is the error of a node that runs again.
var ErrAgain = errors.New("the node runs again")

// Passes kills the process at the node that a variable has.
func Passes(node string) {
	if os.Getenv("RELEASES_KILL") == node {
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
	if f, err := os.OpenFile(os.Getenv("RELEASES_NOTES"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		f.WriteString(node + " ")
		f.Close()
	}
}

// Unwritten is the error of a migration that is not written.
func Unwritten() error {
	if os.Getenv("RELEASES_UNWRITTEN") != "" {
		return errors.New("the migration is not written")
	}
	return nil
}

// Refused reports whether a thread cannot be brought to this version.
func Refused(err error) bool {
	_, refused := errors.AsType[*thread.VersionError](err)
	return refused
}

// Text returns the text of an error, which may be nil.
func Text(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// Asked returns the ID of a request that a run waits for.
func Asked(err error) string {
	if p := graphgen.AsPause(err); p != nil {
		return p.Requests[0].ID
	}
	return ""
}
`

// build builds the program that has all versions.
func build(t *testing.T, versions []*version) string {
	t.Helper()
	module := tempmodule.New(t, tempmodule.Internal, "../../..")
	module.Write("play/play.go", helping)
	var imports, list strings.Builder
	for _, v := range versions {
		v.write(t, module)
		fmt.Fprintf(&imports, "\t%q\n", tempmodule.Internal+"/"+v.pkg)
		fmt.Fprintf(&list, "\t%q: %s.Play,\n", v.pkg, v.pkg)
	}
	module.Write("main.go", `package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
`+imports.String()+`)

var versions = map[string]func(string, thread.Store) (string, error){
`+list.String()+`}

func main() {
	store, err := filestore.Open(os.Args[3])
	if err != nil {
		panic(err)
	}
	out, err := versions[os.Args[1]](os.Args[2], store)
	_, refused := errors.AsType[*thread.VersionError](err)
	switch {
	case graphgen.AsPause(err) != nil:
		fmt.Println("paused")
	case refused:
		fmt.Println("refused:", err)
	case err != nil:
		fmt.Println("error:", err)
	default:
		fmt.Println(out)
	}
}
`)
	path := filepath.Join(module.Dir, "versions.bin")
	if out, err := module.Go("build", "-gcflags="+tempmodule.Internal+"/...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", path, "."); err != nil {
		t.Fatalf("the versions do not compile: %v\n%.6000s", err, out)
	}
	return path
}

// A process is how the program is started.
type process struct {
	binary, folder, kill, keys string
	unwritten, snapshots       bool
}

// does returns what the program of a version writes, "killed" if it was.
func (p process) does(t *testing.T, v *version, act string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.binary, v.pkg, act, filepath.Join(p.folder, "threads"))
	cmd.Env = append(os.Environ(), "RELEASES_KILL="+p.kill, "RELEASES_NOTES="+filepath.Join(p.folder, "notes"), "RELEASES_KEYS="+p.keys)
	if p.snapshots {
		cmd.Env = append(cmd.Env, "RELEASES_SNAPSHOTS=1")
	}
	if p.unwritten {
		cmd.Env = append(cmd.Env, "RELEASES_UNWRITTEN=1")
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case err == nil:
		return strings.TrimSpace(string(out))
	case p.kill != "" && !cmd.ProcessState.Exited():
		return "killed"
	}
	t.Fatalf("%s %s: %v: %s", v.pkg, act, err, errs.String())
	return ""
}
