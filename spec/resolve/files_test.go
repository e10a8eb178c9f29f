package resolve_test

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

func TestImportNames(t *testing.T) {
	g, found := spec.Load("g.graph.yaml", []byte(`graph: g
state:
  a: {go: example.com/money.Amount}
  b: {go: "example.com/other/go-money.Amount"}
  c: {go: example.com/shop/v2.Item}
  d: {go: example.com/out.Value}
  e: {go: gopkg.in/yaml.v3.Node}
  f: {go: example.com/123.T}
  g: {go: Own}
  h: {type: "map[string][]?time"}
  i: {go: example.com/money.Other}
`))
	if len(found) > 0 {
		t.Fatal(found)
	}
	r := resolve.Resolve(g)
	var got []string
	for _, f := range r.State.Fields {
		got = append(got, f.Type.Go())
	}
	want := []string{
		"money.Amount", "moneypkg.Amount", "shop.Item", "outpkg.Value", "yaml.Node", "pkg.T", "Own", "map[string][]*time.Time", "money.Other",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if imports := r.State.Field("h").Type.Imports(); len(imports) != 1 || imports[0].Path != "time" {
		t.Errorf("imports %v", imports)
	}
}

func TestGoTypesElsewhere(t *testing.T) {
	g, _ := spec.Load("g.graph.yaml", []byte("graph: g\nstate: {a: {go: Own}, b: {go: Own}, c: {x: int}}\n"))
	g.Import, g.Away = "example.com/shop", true
	r := resolve.Resolve(g)
	a, b := r.State.Field("a").Type, r.State.Field("b").Type
	if a.Go() != "shop.Own" || !resolve.Same(a, b) || len(r.Imports) != 1 {
		t.Errorf("%s, %s, imports %v", a.Go(), b.Go(), r.Imports)
	}
}
