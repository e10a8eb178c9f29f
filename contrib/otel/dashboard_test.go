package graphotel_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

var prometheusName = regexp.MustCompile(`\b(?:graphgen|gen_ai|error)_[A-Za-z_]+`)

// TestDashboard holds that the dashboard asks for metrics and labels that are exported, by their names in Prometheus,
// and that the guide has those of the metrics.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../docs/guides/measure-with-prometheus.md")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatal("it is not JSON")
	}
	known := map[string]bool{"error_type": true}
	for _, file := range []string{"oteltest/own.txt", "oteltest/registry.txt"} {
		names, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(names)) {
			fields := strings.Fields(line)
			name := strings.NewReplacer(".", "_").Replace(fields[1])
			known[name] = true
			if fields[0] == "metric" {
				for _, suffix := range []string{"_seconds", "_total"} {
					known[name+suffix] = true
				}
			}
		}
	}
	asked := 0
	for _, name := range prometheusName.FindAllString(string(text)+string(guide), -1) {
		name = regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
		if asked++; !known[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if asked < 40 {
		t.Errorf("%d names are asked for", asked)
	}
}
