package oteltest_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write registry.txt")

var (
	attributeName = regexp.MustCompile(`attribute\.Key\("([^"]+)"\)`)
	metricName    = regexp.MustCompile(`\) Name\(\) string \{\s*return "([^"]+)"`)
)

// TestRegistry holds that registry.txt has the names of package semconv.
func TestRegistry(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "go.opentelemetry.io/otel/semconv/v1.41.0").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(dir))
	names := func(kind, pattern string, of *regexp.Regexp) (lines []string) {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal("no files of package semconv", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range of.FindAllSubmatch(text, -1) {
				lines = append(lines, kind+" "+string(found[1])+"\n")
			}
		}
		slices.Sort(lines)
		return slices.Compact(lines)
	}
	all := append(names("attribute", "*.go", attributeName), names("metric", "*/metric.go", metricName)...)
	want := []byte(strings.Join(all, ""))
	if *update {
		if err := os.WriteFile("registry.txt", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("registry.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) || len(all) < 500 {
		t.Errorf("registry.txt is not that of the module, which has %d names: go test ./contrib/otel/oteltest -update writes it", len(all))
	}
}
