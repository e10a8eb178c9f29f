package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// TestRelease releases a copy of the repository. A stranger's module then has the modules without replace and workspace. In the tier full
// it is built, tested and run, and so are the programs.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the repository")
	}
	root := copied(t)
	out := filepath.Join(t.TempDir(), "dist")
	r := &release{ctx: t.Context(), root: root, out: out, log: t.Output()}
	if err := r.run(false); err != nil {
		t.Fatal(err)
	}
	if tags, err := r.git("tag"); err != nil || len(strings.Fields(tags)) != len(r.modules) || !strings.Contains(tags, "contrib/sqlite/"+r.version) {
		t.Errorf("the tags are %s: %v", tags, err)
	}
	if text, err := r.git("show", r.version+":contrib/threads/go.mod"); err != nil || strings.Contains(text, "replace") ||
		strings.Count(text, self) != strings.Count(text, self+"/contrib/threads\n")+strings.Count(text, r.version) {
		t.Errorf("the go.mod of contrib/threads is\n%s: %v", text, err)
	}

	dir := t.TempDir()
	path := filepath.Join(dir, "go")
	consumer, err := r.consumer(path)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "stranger")
	do := func(name string, args ...string) string {
		t.Helper()
		said, err := r.command(at, append(consumer, "GOFLAGS=-modcacherw"), name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if err := os.Mkdir(at, 0o777); err != nil {
		t.Fatal(err)
	}
	do("go", "mod", "init", "example.com/stranger")
	do("go", "get", "-tool", self+"/cmd/graphgen@latest")
	if tier.Full() {
		do("go", "tool", "graphgen", "init", "first")
		do("go", "vet", "./...")
		do("go", "tool", "graphgen", "test", "./...")
		if said := do("go", "run", "./first"); said == "" {
			t.Error("the first graph prints nothing")
		}
	}
	modules := tier.Pick([]string{"/contrib/redis"}, []string{"/contrib/redis"}, []string{"/contrib/sqlite", "/contrib/threads"})
	for _, name := range modules {
		do("go", "get", self+name+"@latest")
	}
	list := do("go", "list", "-m", "-f", "{{.Path}} {{.Version}} {{.Replace}}", "all")
	for _, name := range append(modules, "") {
		if !strings.Contains(list, self+name+" "+r.version+" <nil>\n") {
			t.Errorf("the module has\n%s\nnot %s of %s", list, r.version, self+name)
		}
	}
	if !tier.Full() {
		return
	}
	if err := os.WriteFile(filepath.Join(at, "main.go"), []byte(strangersProgram), 0o666); err != nil {
		t.Fatal(err)
	}
	do("go", "mod", "tidy")
	if said := do("go", "run", "."); said != "0 threads" {
		t.Errorf("the program prints %q", said)
	}

	if err := r.programs(platforms); err != nil {
		t.Fatal(err)
	}
	for _, p := range platforms {
		name := fmt.Sprintf("graphgen_%s_%s*", r.version[1:], strings.Replace(p, "/", "_", 1))
		if found, err := filepath.Glob(filepath.Join(out, name)); err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	program, err := filepath.Abs(filepath.Join(out, fmt.Sprintf("graphgen_%s_%s_%s", r.version[1:], runtime.GOOS, runtime.GOARCH)))
	if err != nil {
		t.Fatal(err)
	}
	if said := do(program, "version"); !strings.HasPrefix(said, "graphgen "+r.version+"\n") {
		t.Errorf("the program says that it is %s", said)
	}
	for name, part := range map[string]string{"graphgen.cdx.json": `"CycloneDX"`, "licenses.txt": "== github.com/alecthomas/kong v", "checksums.txt": "  graphgen_"} {
		if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s has no %q: %v", name, part, err)
		}
	}
	if qemu, err := exec.LookPath("qemu-aarch64-static"); err == nil && runtime.GOARCH == "amd64" {
		do(qemu, filepath.Join(out, fmt.Sprintf("graphgen_%s_linux_arm64", r.version[1:])), "version")
	} else {
		t.Log("the program for arm64 is not run: there is no qemu-aarch64-static")
	}
}

// strangersProgram lists the threads of a new database.
const strangersProgram = `package main

import (
	"context"
	"fmt"

	"github.com/graphgen/graphgen/contrib/sqlite"
	"github.com/graphgen/graphgen/thread"
)

func main() {
	store, err := sqlite.Open(context.Background(), "threads.db")
	if err != nil {
		panic(err)
	}
	list, err := store.List(context.Background(), thread.Filter{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(list), "threads")
}
`

// TestReleasesThatAreRefused holds that a release begins only where its files are in order.
func TestReleasesThatAreRefused(t *testing.T) {
	for want, change := range map[string]func(root string){
		"no version":             func(root string) { write(t, root, "VERSION", "1.2\n") },
		"has no section [7.0.0]": func(root string) { write(t, root, "VERSION", "v7.0.0\n") },
		"not committed":          func(root string) { write(t, root, "new.txt", "") },
	} {
		root := t.TempDir()
		write(t, root, "VERSION", "v1.2.3\n")
		write(t, root, "CHANGELOG.md", "## [1.2.3]\n")
		write(t, root, "go.mod", "module "+self+"\n")
		begin(t, root)
		change(root)
		err := (&release{ctx: t.Context(), root: root, out: t.TempDir(), log: t.Output()}).run(false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, not %q", err, want)
		}
	}
	root := t.TempDir()
	write(t, root, "VERSION", "v1.2.3\n")
	write(t, root, "CHANGELOG.md", "## [1.2.3]\n")
	write(t, root, "go.mod", "module "+self+"\n")
	begin(t, root)
	r := &release{ctx: t.Context(), root: root, out: t.TempDir(), log: t.Output()}
	if err := r.run(false); err != nil {
		t.Error(err)
	}
	r = &release{ctx: t.Context(), root: root, out: t.TempDir(), log: t.Output()}
	if err := r.run(false); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("the same version is released again: %v", err)
	}
	modules := []module{{"", self}}
	if _, err := released("go.mod", []byte("module x\n\nreplace example.com/y => ../y\n"), "v1.0.0", modules); err == nil {
		t.Error("a module that replaces another one is released")
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	name = filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// begin makes a repository of a folder.
func begin(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "--quiet"}, {"config", "user.name", "a"}, {"config", "user.email", "a@example.com"}, {"config", "commit.gpgsign", "false"},
		{"config", "core.compression", "0"}, {"add", "-A"}, {"commit", "--quiet", "-m", "a"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, said)
		}
	}
}

// copied copies the files of this repository as they are, committed or not, into a new one, whose changelog has a section of the version.
func copied(t *testing.T) string {
	t.Helper()
	from := filepath.Join("..", "..", "..")
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = from
	list, err := cmd.Output()
	if err != nil {
		t.Skip("this is no repository of git: ", err)
	}
	root := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if folder, _, _ := strings.Cut(name, "/"); !tier.Full() && (folder == "golden" || folder == "docs" || folder == "testdata") {
			continue // much, and nothing that a module needs
		}
		text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if name == "CHANGELOG.md" {
			version, err := os.ReadFile(filepath.Join(from, "VERSION"))
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, fmt.Sprintf("\n## [%s]\n", strings.TrimSpace(string(version))[1:])...)
		}
		write(t, root, name, string(text))
	}
	begin(t, root)
	return root
}
