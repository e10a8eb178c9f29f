package check

import "github.com/graphgen/graphgen/spec/resolve"

// A branch is how one of the branches of a parallel can come out, for one field that holds
// nothing when the node is entered.
type branch struct {
	open, done bool // it succeeds: the field holds nothing, or is written
	undone     bool // it fails, and nobody has looked: what it has written is not merged
	told       bool // something has looked at the field in vain, if it succeeds
	toldFails  bool // so if it fails
}

func (b branch) succeeds() bool { return b.open || b.done }

// parallel is what branches do that run at once, each on a copy of the state.
func (f *flow) parallel(w *effect, n *resolve.Node) {
	outs, fails := make([]front, len(n.Regions)), make([]front, len(n.Regions))
	for i, r := range n.Regions {
		outs[i], fails[i] = f.region(w, r, f.start())
	}
	need := len(n.Regions)
	if !n.Spec.Count.Lost && (n.Spec.Join.V == "first" || n.Spec.Join.V == "settled") {
		need = 1
		if n.Spec.Count.IsSet() {
			need = n.Spec.Count.V
		}
	}
	branches := make([]branch, len(n.Regions))
	for field := range f.fields {
		for i := range branches {
			out, fail := outs[i], fails[i]
			branches[i] = branch{out.open.has(field), out.done.has(field), fail.open.has(field) || fail.done.has(field), out.told.has(field), fail.told.has(field)}
		}
		meet(w, field, branches, n.Spec.Join.V, need)
	}
}

// meet says what becomes of a field when branches meet, so many of which have to succeed.
func meet(w *effect, field int, branches []branch, how string, need int) {
	var opens, succeeds, fails, told, settles, settlesOpen int
	done, vain, vainFails := false, false, false
	for _, b := range branches {
		opens += one(b.open)
		succeeds += one(b.succeeds())
		fails += one(b.undone)
		told += one(b.undone || b.toldFails)
		settles += one(b.succeeds() || b.undone)
		settlesOpen += one(b.open || b.undone)
		done = done || b.done
		vain = vain || b.told
		vainFails = vainFails || b.toldFails
	}
	n := len(branches)
	add := func(to bits, is bool) {
		if is {
			to.add(field)
		}
	}
	add(w.succeeds.open, opens >= need && (how != "settled" || settlesOpen == n))
	add(w.succeeds.done, succeeds >= need && done && (how != "settled" || settles == n))
	add(w.succeeds.told, vain || need < n && vainFails)
	tooMany := 1 // failures
	if how == "first" || how == "settled" {
		tooMany = n - need + 1
	}
	add(w.fails.open, fails >= tooMany && (how == "fail_fast" || settles == n)) // the others wait for every branch
	add(w.fails.told, told >= tooMany && (vain || vainFails))
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
