// Release makes a release of every module of the repository, for the Makefile: go run ./internal/cmd/release [-out dist] [-binaries=false].
//
// All modules have the version of the file VERSION. The release is a commit beside HEAD, in which the modules require one another by that
// version, with a tag for each module. From its tags come the files of a module proxy, and from these programs for several platforms, with
// their checksums, a bill of materials and the licenses of what they link. Nothing is pushed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const self = "github.com/graphgen/graphgen"

func main() {
	out := flag.String("out", "dist", "the folder for the files of the release")
	binaries := flag.Bool("binaries", true, "compile programs, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := &release{ctx: ctx, root: ".", out: *out, log: os.Stdout}
	err := r.run(*binaries)
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A release is made of a repository.
type release struct {
	ctx     context.Context
	root    string // of the repository
	out     string // where files go
	log     io.Writer
	version string
	modules []module
}

// A module is released.
type module struct {
	dir  string // slash-separated, from the root; "": the root
	path string
}

// tag is the tag of a module by which the go command finds the version.
func (m module) tag(version string) string {
	if m.dir == "" {
		return version
	}
	return m.dir + "/" + version
}

func (r *release) run(binaries bool) error {
	if err := r.read(); err != nil {
		return err
	}
	if err := r.commit(); err != nil {
		return err
	}
	if err := r.proxy(); err != nil {
		return err
	}
	if !binaries {
		return nil
	}
	return r.programs(platforms)
}

// read finds out what is to be released, and refuses what cannot be.
func (r *release) read() error {
	text, err := os.ReadFile(filepath.Join(r.root, "VERSION"))
	if err != nil {
		return err
	}
	if r.version = strings.TrimSpace(string(text)); semver.Canonical(r.version) != r.version {
		return fmt.Errorf("VERSION: %q is no version: write one as v1.2.3", r.version)
	}
	changes, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if !regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(r.version[1:]) + `\]`).Match(changes) {
		return fmt.Errorf("CHANGELOG.md has no section [%s]: give the section [Unreleased] that name", r.version[1:])
	}
	if dirty, err := r.git("status", "--porcelain"); err != nil || dirty != "" {
		return errors.Join(err, fmt.Errorf("there are changes that are not committed:\n%s", dirty))
	}
	files, err := r.git("ls-files", "go.mod", ":(glob)contrib/*/go.mod")
	if err != nil {
		return err
	}
	for file := range strings.FieldsSeq(files) {
		dir := strings.TrimSuffix(strings.TrimSuffix(file, "go.mod"), "/")
		r.modules = append(r.modules, module{dir, strings.TrimSuffix(self+"/"+dir, "/")})
	}
	return nil
}

// commit makes the commit of the release and its tags.
func (r *release) commit() error {
	dir, err := os.MkdirTemp("", "graphgen-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tree := filepath.Join(dir, "tree")
	if _, err := r.git("worktree", "add", "--quiet", "--detach", tree); err != nil {
		return err
	}
	defer r.git("worktree", "remove", "--force", tree)
	for _, m := range r.modules {
		name := filepath.Join(tree, filepath.FromSlash(m.dir), "go.mod")
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if text, err = released(name, text, r.version, r.modules); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	in := *r
	in.root = tree
	if _, err := in.git("commit", "--quiet", "--all", "--allow-empty", "--message", "release "+r.version); err != nil {
		return err
	}
	for _, m := range r.modules {
		if _, err := in.git("tag", m.tag(r.version)); err != nil {
			return err
		}
		fmt.Fprintf(r.log, "tagged %s\n", m.tag(r.version))
	}
	return nil
}

// released returns the go.mod of a module that requires the others by the version.
func released(name string, text []byte, version string, modules []module) ([]byte, error) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	ours := func(path string) bool {
		return slices.ContainsFunc(modules, func(m module) bool { return m.path == path })
	}
	for _, r := range slices.Clone(f.Replace) {
		if !ours(r.Old.Path) {
			return nil, fmt.Errorf("%s replaces %s, and whoever requires the module would not get that", name, r.Old.Path)
		}
		if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return nil, err
		}
	}
	for _, r := range f.Require {
		if !ours(r.Mod.Path) {
			continue
		}
		if err := f.AddRequire(r.Mod.Path, version); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}

func (r *release) git(args ...string) (string, error) {
	return r.command(r.root, nil, "git", args...)
}

// command runs a program and returns what it prints.
func (r *release) command(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(r.ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &said)
	}
	return strings.TrimSpace(string(out)), err
}
