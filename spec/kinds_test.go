package spec_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// TestKindKeys holds the kinds that have a key equal to those with the trait that the
// key sets.
func TestKindKeys(t *testing.T) {
	works := func(k *spec.Kind) bool { return k.Returns || k.By == spec.ByModel }
	asks := func(k *spec.Kind) bool { return k.Asks != spec.AsksNever }
	traits := map[string]func(*spec.Kind) bool{
		"goto":     func(k *spec.Kind) bool { return k.Returns },
		"routes":   func(k *spec.Kind) bool { return k.Chooses },
		"on_pass":  func(k *spec.Kind) bool { return k.Judges },
		"on_fail":  func(k *spec.Kind) bool { return k.Judges },
		"guards":   works,
		"evals":    works,
		"timeout":  func(k *spec.Kind) bool { return !k.Pure },
		"strategy": asks,
		"repair":   asks,
		"tools":    func(k *spec.Kind) bool { return k.By == spec.ByModel },
		"tool":     func(k *spec.Kind) bool { return k.By == spec.ByTool },
		"args":     func(k *spec.Kind) bool { return k.By == spec.ByTool },
		"model":    func(k *spec.Kind) bool { return asks(k) || k.Picks() },
		"body":     (*spec.Kind).HasBody,

		"set":       func(k *spec.Kind) bool { return k.Sets },
		"say":       func(k *spec.Kind) bool { return k.Sends },
		"payload":   func(k *spec.Kind) bool { return k.Sends },
		"fail_soft": func(k *spec.Kind) bool { return k.By != spec.ByMachine },

		"until":    (*spec.Kind).Loops,
		"attempts": func(k *spec.Kind) bool { return k.OnFailure },
		"branches": (*spec.Kind).Branches,
		"over":     func(k *spec.Kind) bool { return k.Each },
		"item":     func(k *spec.Kind) bool { return k.Each },
		"join":     (*spec.Kind).Forks,
		"count":    (*spec.Kind).Forks,
		"graph":    func(k *spec.Kind) bool { return k.By == spec.ByGraph },
		"pool":     (*spec.Kind).Picks,
		"terminal": (*spec.Kind).Picks,
		"mutates":  func(k *spec.Kind) bool { return k.Mutates },
	}
	for _, m := range spec.Reference() {
		for _, key := range m.Keys {
			trait, ok := traits[key.Name]
			if m.Name != "node" || !ok {
				continue
			}
			delete(traits, key.Name)
			for _, k := range spec.Kinds {
				if trait(k) != slices.Contains(key.Kinds, k.Name) {
					t.Errorf("%s of kind %s: the key's kinds are %v, and the trait is %v", key.Name, k.Name, key.Kinds, trait(k))
				}
			}
		}
	}
	for key := range traits {
		t.Errorf("nodes have no key %s", key)
	}
}

func TestKindOf(t *testing.T) {
	for _, k := range spec.Kinds {
		if got := spec.KindOf(k.Name); got != k || !got.Known() {
			t.Errorf("KindOf(%q) = %+v, want the row", k.Name, got)
		}
		if k.Composite() != (k.By == spec.ByNodes) {
			t.Errorf("%s: its nodes run nodes, and others do the work: one of the two is wrong", k.Name)
		}
	}
	if k := spec.KindOf("prompts"); k.Known() || k.Name != "prompts" || k.Composite() || k.Delegates() {
		t.Errorf("KindOf of no kind = %+v, want its name without traits", k)
	}
}

func TestFlagOf(t *testing.T) {
	for f := range spec.Flags {
		name := spec.FlagID(f).String()
		if got, ok := spec.FlagOf(name); name == "" || !ok || got != spec.FlagID(f) {
			t.Errorf("FlagOf(%q) = %d, %v, want %d", name, got, ok, f)
		}
	}
	n := &spec.Node{Flags: []spec.Flag{{Name: spec.String{V: "verbos"}}, {Name: spec.String{V: "verbose"}}}}
	if s := n.FlagSet(); !s.Has(spec.Verbose) || s.Has(spec.Entry) || s.Has(spec.Critical) {
		t.Errorf("the flags of a node with verbose alone are %b", s)
	}
}
