package main

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// packageName returns the name of the Go package of a folder. It takes the first of: the
// hand-written Go files, the flag, go generate, the generated files, the name of the directory.
func (f *folder) packageName(asked, goPackage string) (string, error) {
	written, file, err := f.writtenPackage(false)
	if err != nil {
		return "", err
	}
	if asked != "" {
		switch {
		case !token.IsIdentifier(asked) || asked == "_":
			return "", fmt.Errorf("-package %s: this is not the name of a Go package", asked)
		case written != "" && written != asked:
			return "", fmt.Errorf("-package %s: %s belongs to package %s", asked, filepath.Join(f.dir, file), written)
		}
		return asked, nil
	}
	if written != "" {
		return written, nil
	}
	if f.dir == "." && goPackage != "" {
		return strings.TrimSuffix(goPackage, "_test"), nil
	}
	if generated, _, err := f.writtenPackage(true); err == nil && generated != "" {
		return generated, nil
	}
	return f.dirPackage()
}

// writtenPackage returns the package name of the folder's Go files, either hand-written or
// generated, and one of these files.
func (f *folder) writtenPackage(generated bool) (name, file string, err error) {
	for _, g := range f.goFiles {
		if (g.from != "") != generated {
			continue
		}
		path := filepath.Join(f.dir, g.name)
		found, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", "", fmt.Errorf("the package of %s: %w", f.dir, err)
		}
		pkg := found.Name.Name
		switch {
		case pkg == "documentation", ignored(found), // as the go command does
			strings.HasSuffix(g.name, "_test.go") && strings.HasSuffix(pkg, "_test"):
		case name == "":
			name, file = pkg, g.name
		case name != pkg:
			return "", "", fmt.Errorf("%s: found packages %s (%s) and %s (%s); the files of a directory belong to one package",
				f.dir, name, file, pkg, g.name)
		}
	}
	return name, file, nil
}

// ignored reports whether a build constraint such as //go:build ignore excludes a file from the
// package, on every platform.
func ignored(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) || c.Pos() > file.Package {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil && !mayBe(expr, true) {
				return true
			}
		}
	}
	return false
}

// mayBe reports whether a build constraint may have a value. Tags of platforms and toolchains may be set or not; others, such as
// ignore and the tags of an author, are not set.
func mayBe(expr constraint.Expr, value bool) bool {
	switch x := expr.(type) {
	case *constraint.NotExpr:
		return mayBe(x.X, !value)
	case *constraint.AndExpr:
		if value {
			return mayBe(x.X, true) && mayBe(x.Y, true)
		}
		return mayBe(x.X, false) || mayBe(x.Y, false)
	case *constraint.OrExpr:
		if value {
			return mayBe(x.X, true) || mayBe(x.Y, true)
		}
		return mayBe(x.X, false) && mayBe(x.Y, false)
	case *constraint.TagExpr:
		return !value || platformTag.MatchString(x.Tag)
	}
	return true
}

// platformTag matches the tags that the go command sets: systems, architectures and their features, toolchains, and versions of Go.
var platformTag = regexp.MustCompile(`^(` +
	`aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|plan9|solaris|unix|wasip1|windows|zos|` +
	`(386|amd64|amd64p32|arm|armbe|arm64|arm64be|loong64|mips|mipsle|mips64|mips64le|mips64p32|mips64p32le|ppc|ppc64|ppc64le|` +
	`riscv|riscv64|s390|s390x|sparc|sparc64|wasm)(\..*)?|` +
	`boringcrypto|cgo|gc|gccgo|race|msan|asan|goexperiment\..*|go[1-9][0-9]*\.[0-9]+)$`)

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// dirPackage derives a package name from the directory: my-agent gives myagent, agent/v2 gives
// agent.
func (f *folder) dirPackage() (string, error) {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return "", err
	}
	base := filepath.Base(dir)
	if majorVersion.MatchString(base) {
		if name := asPackage(filepath.Base(filepath.Dir(dir))); name != "" {
			return name, nil
		}
	}
	if name := asPackage(base); name != "" {
		return name, nil
	}
	return "", fmt.Errorf("%s: the directory's name is not a package name; set one with -package", f.dir)
}

// asPackage returns the part of a directory's name that is a package name, or "".
func asPackage(base string) string {
	name := strings.TrimLeft(strings.Map(func(c rune) rune {
		if c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, base), "0123456789_")
	if !token.IsIdentifier(name) {
		return ""
	}
	return name
}
