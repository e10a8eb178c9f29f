package graphotel_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	graphotel "github.com/graphgen/graphgen/contrib/otel"
)

var exportedName = regexp.MustCompile("`((?:graphgen|gen_ai|error|code)\\.[a-z_.]+)`")

// TestPage holds that docs/reference/telemetry.md has every name and no other.
func TestPage(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, own, registry := read("../../docs/reference/telemetry.md"), read("oteltest/own.txt"), read("oteltest/registry.txt")
	has := func(name string) {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "`"+name+" ") {
			t.Errorf("the page does not have %s", name)
		}
	}
	for line := range strings.Lines(own) {
		has(strings.Fields(line)[1])
	}
	for _, class := range graphotel.Classes() {
		has(class)
	}
	o := newOffice(t, graphotel.Config{Content: true})
	o.run(t.Context(), o.machine(1, o.observe.Option()))
	for _, s := range o.spans.GetSpans() {
		for _, a := range s.Attributes {
			has(string(a.Key))
		}
	}
	for _, m := range o.metrics().ScopeMetrics[0].Metrics {
		has(m.Name)
	}
	for _, found := range exportedName.FindAllStringSubmatch(page, -1) {
		if name := " " + found[1]; !strings.Contains(own+registry, name+"\n") && !strings.Contains(own, name+" ") {
			t.Errorf("the page has %s, which there is not", found[1])
		}
	}
}
