package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/graphgen/graphgen/spec/check"
)

// TestChangelogHasLanguageChanges holds the sections "Changed in specs" of the changelog, of which the last version may be unreleased;
// -update writes that one.
func TestChangelogHasLanguageChanges(t *testing.T) {
	const file = "../../CHANGELOG.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changelog := string(text)
	for _, version := range versionsOfChanges() {
		from := strings.Index(changelog, "\n## ["+strings.TrimPrefix(version, "v")+"]")
		if from < 0 && version == latest {
			from = strings.Index(changelog, "\n## [Unreleased]")
		}
		if from < 0 {
			t.Fatalf("the changelog has no section for %s", version)
		}
		const title = "\n### Changed in specs\n\n"
		at := strings.Index(changelog[from:], title)
		if at < 0 {
			t.Fatalf("the section for %s has no %q", version, title)
		}
		at += from + len(title)
		end := at + strings.Index(changelog[at:], "\n### ")
		if want := changelogEntries(version); changelog[at:end] == want {
			continue
		} else if !*update {
			t.Errorf("the changelog for %s differs from languageChanges: go test ./cmd/graphgen -run %s -update writes it", version, t.Name())
		} else if err := os.WriteFile(file, []byte(changelog[:at]+want+changelog[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// versionsOfChanges returns the versions that have changed the language.
func versionsOfChanges() (list []string) {
	for _, c := range languageChanges {
		if !slices.Contains(list, c.version) {
			list = append(list, c.version)
		}
	}
	return list
}

// changelogEntries are the entries of a version.
func changelogEntries(version string) string {
	b := strings.Builder{}
	b.WriteString("`graphgen upgrade` finds these places in specs and scenarios, with what to do.\n\n")
	for _, c := range languageChanges {
		if c.version == version {
			text := c.change + ". What to do: " + c.remedy + "."
			b.WriteString("- " + strings.ToUpper(text[:1]) + text[1:] + "\n")
		}
	}
	return b.String()
}

// TestLanguageChanges holds that each change can be found, and that the script of the verb finds it.
func TestLanguageChanges(t *testing.T) {
	version, err := os.ReadFile("../../VERSION")
	if err != nil || strings.TrimSpace(string(version)) != latest {
		t.Errorf("the file VERSION has %q (%v), and latest is %q", version, err, latest)
	}
	script, err := os.ReadFile("../../testdata/scripts/upgrade.txtar")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	for _, r := range check.Rules() {
		codes[r.Code] = true
	}
	for i, c := range languageChanges {
		for _, code := range c.codes {
			if !codes[code] {
				t.Errorf("%s: no check has the code %s", c.change, code)
			}
		}
		if c.codes == nil && !strings.Contains(string(script), c.change) {
			t.Errorf("the script upgrade.txtar does not find it: %s", c.change)
		}
		if semver.Compare(c.version, latest) > 0 || c.generation > kernelGeneration {
			t.Errorf("%s: %s and generation %d are later than this graphgen", c.change, c.version, c.generation)
		}
		if i > 0 && semver.Compare(c.version, languageChanges[i-1].version) > 0 {
			t.Errorf("%s: it is newer than the change before it", c.change)
		}
	}
}

func TestOriginNeeds(t *testing.T) {
	change := &languageChange{version: "v0.3.0", generation: 7}
	tests := []struct {
		name string
		from origin
		want bool
	}{
		{"an earlier version", origin{version: "v0.2.9"}, true},
		{"the version", origin{version: "v0.3.0"}, false},
		{"a version on the way to it", origin{version: "v0.3.0-rc.1"}, true},
		{"a commit after an earlier version", origin{version: "v0.2.1-0.20260131000000-0123456789ab"}, true},
		{"code of an earlier generation, with a go.mod that is changed", origin{"v0.3.0", 6}, true},
		{"code of the generation, with a commit before the release", origin{"v0.2.1-0.20260131000000-0123456789ab", 7}, false},
		{"code of an earlier generation alone", origin{generation: 6}, true},
		{"code of the generation alone", origin{generation: 7}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.from.needs(change); got != tt.want {
				t.Errorf("it needs the change: %v", got)
			}
		})
	}
	change.generation = 0
	if (origin{"v0.3.0", 6}).needs(change) || !(origin{"v0.2.0", 6}).needs(change) {
		t.Error("a change without a generation depends on the version")
	}
}
