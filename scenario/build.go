package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/scenario/temp"
	"github.com/graphgen/graphgen/spec/subprocess"
)

// virtualDir is the directory, below the directory of the specs, where the go command sees the package. It
// exists in an overlay only. So the package resolves its imports as the user's code does, does not
// need that code to compile, and leaves no files.
const virtualDir = "_graphgen_scenarios"

// A builder builds the test binary of one directory.
type builder struct {
	dir  string // absolute; directory of the specs
	temp string // directory for all files that are written
}

// An overlay is files that the go command is to see elsewhere.
type overlay struct{ Replace map[string]string }

// add writes files to a directory, which the go command sees in another one.
func (o *overlay) add(files []golang.File, temp, seen string) error {
	for _, f := range files {
		path := filepath.Join(temp, f.Name)
		if err := os.WriteFile(path, f.Content, 0o666); err != nil {
			return err
		}
		o.Replace[filepath.Join(seen, f.Name)] = path
	}
	return nil
}

// use has the builder's go commands see the overlay.
func (b *builder) use(o *overlay) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(b.overlay(), text, 0o666)
}

// build compiles the files to a test binary and returns its path.
func (b *builder) build(ctx context.Context, files []golang.File) (binary string, err error) {
	o := &overlay{map[string]string{}}
	if err := errors.Join(o.add(files, b.temp, filepath.Join(b.dir, virtualDir)), b.use(o)); err != nil {
		return "", err
	}
	binary = filepath.Join(b.temp, "scenarios.exe")
	said, err := b.compile(ctx, binary, "./"+virtualDir)
	if err != nil && needsModules(said) {
		said, err = b.compileWithOwnModules(ctx, binary, said)
	}
	if err != nil {
		return "", b.explain(ctx, said, err)
	}
	return binary, nil
}

func (b *builder) overlay() string { return filepath.Join(b.temp, "overlay.json") }

// compile runs the go command for packages and returns its output. go vet, which go test runs first, needs an
// existing directory.
func (b *builder) compile(ctx context.Context, binary string, packages ...string) (said string, err error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay=" + b.overlay(), "-o", binary}
	return b.goCommand(ctx, append(args, packages...)...)
}

// buildTogether builds the scenarios of several folders with one go command, all folders of a module as one test binary: to link one for each
// folder takes several times as long. Where that fails, they are left to be built one by one, each with its own message. The function that
// it returns removes the binaries.
func buildTogether(ctx context.Context, jobs []*job) (remove func(), err error) {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.builder == nil })
	if len(jobs) < 2 {
		return func() {}, nil
	}
	temp, remove, err := temp.Dir("graphgen-test-")
	if err != nil {
		return nil, err
	}
	all, o := &builder{dir: jobs[0].abs, temp: temp}, &overlay{map[string]string{}}
	for _, j := range jobs {
		err = errors.Join(err, o.add(importable(j.files), j.builder.temp, j.virtual()))
	}
	if err = errors.Join(err, all.use(o)); err == nil {
		err = all.link(ctx, o, jobs)
	}
	if err != nil {
		remove()
	}
	return remove, err
}

// virtual is where the go command sees the package of a job that is built with others: the same in every run, for the build cache.
func (j *job) virtual() string {
	return filepath.Join(j.abs, fmt.Sprintf("%s_%08x", virtualDir, crc32.ChecksumIEEE([]byte(j.dir))))
}

// importable are the files of a package whose test another package runs.
func importable(files []golang.File) (out []golang.File) {
	for _, f := range files {
		if f.Name == testName {
			f.Name = strings.Replace(f.Name, "_test.go", ".go", 1)
		}
		out = append(out, f)
	}
	return out
}

// link builds a test binary for each module of the jobs. Only a mistake of the file system is an error.
func (b *builder) link(ctx context.Context, o *overlay, jobs []*job) error {
	paths, modules := b.modules(ctx, jobs)
	for i, of := range modules {
		imports, tests := "", ""
		for k, j := range of {
			imports += fmt.Sprintf("\ts%d %q\n", k, paths[j])
			tests += fmt.Sprintf("\nfunc Test_%d(t *testing.T) { s%[1]d.Test_(t) }\n", k)
		}
		dir, name := filepath.Join(of[0].abs, virtualDir+"_all"), fmt.Sprintf("all%d_test.go", i)
		text := "package all\n\nimport (\n\t\"testing\"\n\n" + imports + ")\n" + tests
		if err := errors.Join(o.add([]golang.File{{Name: name, Content: []byte(text)}}, b.temp, dir), b.use(o)); err != nil {
			return err
		}
		binary := filepath.Join(b.temp, fmt.Sprintf("scenarios%d.exe", i))
		if _, err := b.compile(ctx, binary, dir); err != nil {
			continue // each job has its own message
		}
		for k, j := range of {
			j.binary, j.test = binary, fmt.Sprintf("Test_%d", k)
		}
	}
	return nil
}

// modules returns the import paths of jobs, and the jobs of each module. It returns none where the go command does not list them.
func (b *builder) modules(ctx context.Context, jobs []*job) (paths map[*job]string, modules [][]*job) {
	args := []string{"list", "-find", "-overlay=" + b.overlay(), "-f", "{{.Dir}}\t{{.ImportPath}}\t{{with .Module}}{{.Path}}{{end}}"}
	for _, j := range jobs {
		args = append(args, j.virtual())
	}
	said, err := b.goCommand(ctx, args...)
	if err != nil {
		return nil, nil
	}
	listed := map[string][]string{}
	for line := range strings.Lines(said) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		listed[words[0]] = words
	}
	paths, at := map[*job]string{}, map[string]int{}
	for _, j := range jobs {
		words := listed[j.virtual()]
		if len(words) != 3 {
			return nil, nil
		}
		paths[j] = words[1]
		if _, ok := at[words[2]]; !ok {
			at[words[2]], modules = len(modules), append(modules, nil)
		}
		modules[at[words[2]]] = append(modules[at[words[2]]], j)
	}
	return paths, modules
}

func (b *builder) goCommand(ctx context.Context, args ...string) (said string, err error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH) // the binary runs here
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = subprocess.Run(ctx, cmd)
	return strings.TrimSpace(out.String()), err
}

// ask runs a go command with JSON output.
func (b *builder) ask(ctx context.Context, answer any, args ...string) error {
	text, err := b.goCommand(ctx, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), answer)
}

// moduleComplaints are messages of the go command about go.mod or go.sum files without the modules
// that the scenarios need.
var moduleComplaints = []string{
	"updates to go.mod needed", "missing go.sum entry", "no required module provides package",
	"implicitly required module", "inconsistent vendoring", "cannot find module providing package",
}

func needsModules(said string) bool {
	return slices.ContainsFunc(moduleComplaints, func(complaint string) bool { return strings.Contains(said, complaint) })
}

// modulePath is the module of the kernel and the harness.
const modulePath = "github.com/graphgen/graphgen"

// compileWithOwnModules compiles with copies of go.mod and go.sum, to which the go command may add
// missing modules. It does not apply in a workspace, nor in a module that does not use graphgen,
// where the go command would search for a version.
func (b *builder) compileWithOwnModules(ctx context.Context, binary, said string) (string, error) {
	failed := errors.New("the module's files do not list what the scenarios need")
	var env struct{ GOWORK, GOMOD string }
	var mod struct{ Require []struct{ Path string } }
	err := errors.Join(b.ask(ctx, &env, "env", "-json", "GOWORK", "GOMOD"), b.ask(ctx, &mod, "mod", "edit", "-json"))
	inWorkspace := env.GOWORK != "" && env.GOWORK != "off"
	uses := slices.ContainsFunc(mod.Require, func(r struct{ Path string }) bool { return r.Path == modulePath })
	if err != nil || inWorkspace || !uses {
		return said, failed
	}
	copied := filepath.Join(b.temp, "go.mod")
	for from, to := range map[string]string{env.GOMOD: copied, strings.TrimSuffix(env.GOMOD, ".mod") + ".sum": filepath.Join(b.temp, "go.sum")} {
		text, err := os.ReadFile(from)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return said, err
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return said, err
		}
	}
	return b.compile(ctx, binary, "-mod=mod", "-modfile="+copied, "./"+virtualDir)
}

// advice maps messages of the go command to helps.
var advice = []struct{ says, help string }{
	{"go.mod file not found", "scenarios are built in the module of their spec: run go mod init, and go get github.com/graphgen/graphgen"},
	{"does not contain package",
		"the module's version of graphgen is older than this command: run go get github.com/graphgen/graphgen, or use go tool graphgen"},
	{"Protocol1", "the module's version of graphgen is not this command's: use go tool graphgen"},
	{"no required module provides package", "run go get github.com/graphgen/graphgen, and go mod tidy"},
	{"cannot find module providing package", "run go get github.com/graphgen/graphgen, and go mod tidy"},
	{"implicitly required module", "run graphgen generate, and go mod tidy"},
	{"updates to go.mod needed", "run go mod tidy"},
	{"missing go.sum entry", "run go mod tidy"},
	{"inconsistent vendoring", "run go mod vendor"},
}

// explain converts output of the go command to an error.
func (b *builder) explain(ctx context.Context, said string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("scenarios are built with the go command: %w", err)
	}
	said = strings.ReplaceAll(said, b.temp+string(filepath.Separator), "")
	for _, a := range advice {
		if strings.Contains(said, a.says) {
			return fmt.Errorf("the scenarios do not build; %s\n%s", a.help, said)
		}
	}
	return fmt.Errorf("the scenarios do not build: %w\n%s", err, said)
}
