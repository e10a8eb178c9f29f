package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/spec/subprocess"
)

// virtualDir is the directory, below that of the specs, where the go command sees the package. It
// exists in an overlay only. So the package resolves its imports as the user's code does, does not
// need that code to compile, and leaves no files behind.
const virtualDir = "_graphgen_scenarios"

// A builder builds the test binary of one directory.
type builder struct {
	dir  string // absolute; directory of the specs
	temp string // directory for all files that are written
}

// build compiles the files to a test binary and returns its path.
func (b *builder) build(ctx context.Context, files []golang.File) (binary string, err error) {
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for _, f := range files {
		path := filepath.Join(b.temp, f.Name)
		if err := os.WriteFile(path, f.Content, 0o666); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(b.dir, virtualDir, f.Name)] = path
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(b.overlay(), text, 0o666); err != nil {
		return "", err
	}
	binary = filepath.Join(b.temp, "scenarios.exe")
	said, err := b.compile(ctx, binary)
	if err != nil && needsModules(said) {
		said, err = b.compileWithOwnModules(ctx, binary, said)
	}
	if err != nil {
		return "", b.explain(ctx, said, err)
	}
	return binary, nil
}

func (b *builder) overlay() string { return filepath.Join(b.temp, "overlay.json") }

// compile runs the go command and returns its output. go vet, which go test runs first, needs an
// existing directory.
func (b *builder) compile(ctx context.Context, binary string, flags ...string) (said string, err error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay=" + b.overlay(), "-o", binary}
	return b.goCommand(ctx, append(append(args, flags...), "./"+virtualDir)...)
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
	return b.compile(ctx, binary, "-mod=mod", "-modfile="+copied)
}

// advice maps messages of the go command to helps.
var advice = []struct{ says, help string }{
	{"go.mod file not found", "scenarios are built in the module of their spec: run go mod init, and go get github.com/graphgen/graphgen"},
	{"does not contain package", "the module's version of graphgen is older than this command: run go get github.com/graphgen/graphgen, or use go tool graphgen"},
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
