package dataflow

import "github.com/graphgen/graphgen/spec/cfg"

// Fork returns the states after concurrent branches, each on a copy of the state.
func (f algebra) Fork(n *cfg.Node, rule *cfg.Fork, branches []cfg.Outcomes[*states]) (o cfg.Outcomes[*states]) {
	begin := f.Nothing()
	if n.Spec.Item != nil {
		begin.write(f.number[n.Spec.Item])
	}
	o.Cancelled = f.Nothing()
	for i, b := range branches {
		branches[i] = cfg.Outcomes[*states]{Success: f.Then(begin, b.Success), Failure: f.Then(begin, b.Failure)}
		if in := f.Then(begin, b.Cancelled); in != nil { // what it has written is not merged
			o.Cancelled.exposed = append(o.Cancelled.exposed, in.exposed...)
		}
	}
	if rule.Each { // what one branch does, any number of them may do
		o.Success, o.Failure = branches[0].Success, branches[0].Failure
		if rule.Need > 1 {
			o.Failure = f.Or(f.Or(nil, o.Failure), o.Success) // there may be fewer elements than have to succeed
		}
		return o
	}
	o.Success, o.Failure = f.newStates(), f.newStates()
	for i := range f.Fields {
		f.join(i, rule, branches, &o)
	}
	return o
}

// join finds the states of a field after branches.
func (f algebra) join(field int, rule *cfg.Fork, branches []cfg.Outcomes[*states], o *cfg.Outcomes[*states]) {
	var unwritten, succeed, fail, failReported, settle, settleUnwritten int
	written, reported, reportedFailed := false, false, false
	in := func(s *states) (unwritten, written, reported bool) {
		return s != nil && s.unwritten.Has(field), s != nil && s.written.Has(field), s != nil && s.reported.Has(field)
	}
	for _, b := range branches {
		u, w, r := in(b.Success)
		fu, fw, fr := in(b.Failure)
		unwritten += one(u)
		succeed += one(u || w)
		fail += one(fu || fw) // and nothing has read the field: what it has written is not merged
		failReported += one(fu || fw || fr)
		settle += one(u || w || fu || fw)
		settleUnwritten += one(u || fu || fw)
		written, reported, reportedFailed = written || w, reported || r, reportedFailed || fr
	}
	n := len(branches)
	add := func(to Set, is bool) {
		if is {
			to.Add(field)
		}
	}
	success, failure := rule.Quorums(n)
	add(o.Success.unwritten, unwritten >= success.Branches && (success.Cancels || settleUnwritten == n))
	add(o.Success.written, succeed >= success.Branches && written && (success.Cancels || settle == n))
	add(o.Success.reported, reported || success.Branches < n && reportedFailed)
	add(o.Failure.unwritten, fail >= failure.Branches && (failure.Cancels || settle == n))
	add(o.Failure.reported, failReported >= failure.Branches && (reported || reportedFailed))
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
