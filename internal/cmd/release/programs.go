package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	mod "golang.org/x/mod/module"
)

// platforms are those that programs are compiled for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// bom is the program that writes the bill of materials, in the format CycloneDX.
const bom = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// programs compiles graphgen from the proxy for platforms, so that each program has its version and can be built again byte for byte.
func (r *release) programs(platforms []string) error {
	path, err := os.MkdirTemp("", "graphgen-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(path)
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	consumer, err := r.consumer(path)
	if err != nil {
		return err
	}
	var names []string
	for _, platform := range platforms {
		system, arch, _ := strings.Cut(platform, "/")
		env := append(consumer, "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath -modcacherw")
		fmt.Fprintf(r.log, "compiling for %s\n", platform)
		if _, err := r.command(path, env, "go", "install", "-ldflags=-s -w", self+"/cmd/graphgen@"+r.version); err != nil {
			return err
		}
		built, err := find(filepath.Join(path, "bin"))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("graphgen_%s_%s_%s%s", r.version[1:], system, arch, filepath.Ext(built))
		names = append(names, name)
		if err := move(built, filepath.Join(out, name)); err != nil {
			return err
		}
	}
	if err := r.sums(names); err != nil {
		return err
	}
	if err := r.licenses(names[0], filepath.Join(path, "pkg", "mod")); err != nil {
		return err
	}
	fmt.Fprintln(r.log, "writing the bill of materials")
	_, err = r.command(path, append(consumer, "GOFLAGS=-modcacherw"), "go", "run", bom, "bin", "-json", "-licenses", "-version", r.version,
		"-output", filepath.Join(out, "graphgen.cdx.json"), filepath.Join(out, names[0]))
	return err
}

// consumer returns the environment of a go command that gets the modules of the release from the proxy, and others as always. What it
// downloads is below a folder: what is there of an earlier try does not count.
func (r *release) consumer(path string) ([]string, error) {
	out, err := filepath.Abs(filepath.Join(r.out, "proxy"))
	if err != nil {
		return nil, err
	}
	usual, err := r.command(r.root, nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, rest, _ := strings.Cut(usual, "\n")
	proxies := "file://" + filepath.ToSlash(out) + ",file://" + filepath.ToSlash(cache) + "/cache/download," + rest
	return []string{"GOWORK=off", "GOBIN=", "GOPATH=" + path, "GOMODCACHE=", "GOPROXY=" + proxies, "GONOSUMDB=" + self + "," + self + "/*"}, nil
}

// find returns the only program below a folder.
func find(dir string) (name string, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name = path
		}
		return err
	})
	return name, err
}

func move(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		return err
	}
	return os.Remove(from)
}

// sums writes the checksums of programs, as sha256sum -c reads them.
func (r *release) sums(names []string) error {
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(b.String()), 0o666)
}

// licenses writes the licenses of the modules that a program has.
func (r *release) licenses(program, cache string) error {
	info, err := buildinfo.ReadFile(filepath.Join(r.out, program))
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, m := range slices.Concat([]*debug.Module{&info.Main}, info.Deps) {
		path, err := mod.EscapePath(m.Path)
		if err != nil {
			return err
		}
		found, err := filepath.Glob(filepath.Join(cache, filepath.FromSlash(path)+"@"+m.Version, "[LC][IO][CP][EY]*"))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("%s %s has no license: %v", m.Path, m.Version, err)
		}
		for _, name := range found {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "== %s %s, %s\n\n%s\n\n", m.Path, m.Version, filepath.Base(name), strings.TrimSpace(string(text)))
		}
	}
	return os.WriteFile(filepath.Join(r.out, "licenses.txt"), []byte(b.String()), 0o666)
}
