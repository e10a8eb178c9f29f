package explore

// mostTurns bounds the work for branches in written order, in places that are looked at.
const mostTurns = 1 << 20

// manyTurns reports whether the order of branches is too much work.
func (in *Inside) manyTurns(n, k int) bool {
	return product(n, product(k+1, in.Width+1)) > mostTurns
}

// inTurn chooses among branches of which more are written than run at once, where some of them
// end the others. They are begun in written order: none while as many are under way as run at
// once when it is known how the node ends.
func (in *Inside) inTurn(each []Outcomes, forced []Courses, k int) Courses {
	t := turns{width: in.Width, k: k, first: in.Join == "first"}
	for i, o := range each {
		ended, late := o.Success, o.Success
		if t.first {
			ended, late = o.Failure, o.Any()
		}
		t.branches = append(t.branches, turn{forced[i], ended, late})
	}
	least := t.best(func(c Courses) *Course { return c.Least }, -1)
	most := t.best(func(c Courses) *Course { return c.Most }, 1)
	if least == nil {
		return Courses{}
	}
	return Courses{least, most}
}

// A turn is what a branch may come to.
type turn struct {
	forced Courses
	ended  Courses // before it is known how the node ends
	late   Courses // under way then
}

// Turns are branches in the order in which they are begun.
type turns struct {
	branches []turn
	width, k int
	first    bool // k successes end the others, else a failure
}

// A place is how many branches have come to what is forced, and how many are under way.
type place struct{ forced, under int }

// A turned is how a place is come to at best.
type turned struct {
	ok     bool
	amount int
	from   place
	course *Course // of the branch
}

// best returns the course that takes least or most; nil: the branches cannot come to it.
func (t *turns) best(of func(Courses) *Course, sign int) *Course {
	rows := make([][]turned, len(t.branches)+1)
	for i := range rows {
		rows[i] = make([]turned, (t.k+1)*(t.width+1))
	}
	rows[0][0].ok = true
	for i, b := range t.branches {
		t.begin(b, rows[i], rows[i+1], of, sign)
	}
	return t.course(rows, sign)
}

// number is the index of a place.
func (t *turns) number(p place) int { return p.forced*(t.width+1) + p.under }

// begin looks at all that a branch may come to, at each place that the branches before lead to.
func (t *turns) begin(b turn, before, after []turned, of func(Courses) *Course, sign int) {
	for number, have := range before {
		if !have.ok {
			continue
		}
		from := place{number / (t.width + 1), number % (t.width + 1)}
		come := func(to place, c *Course) {
			into := &after[t.number(to)]
			if amount := min(have.amount+c.Amount, Plenty); !into.ok || sign*(amount-into.amount) > 0 {
				*into = turned{true, amount, from, c}
			}
		}
		come(place{from.forced, min(from.under+1, t.width)}, &nothing) // or it is not begun
		if from.under == t.width {
			continue
		}
		if b.ended.Can() {
			come(from, of(b.ended))
		}
		if b.late.Can() {
			come(place{from.forced, from.under + 1}, of(b.late))
		}
		if b.forced.Can() {
			come(t.force(from), of(b.forced))
		}
	}
}

// course is the best course to what the node comes to.
func (t *turns) course(rows [][]turned, sign int) *Course {
	last := len(t.branches)
	best := place{t.k, -1}
	for under := range t.width + 1 {
		to := place{t.k, under}
		r := rows[last][t.number(to)]
		if r.ok && (best.under < 0 || sign*(r.amount-rows[last][t.number(best)].amount) > 0) {
			best = to
		}
	}
	if best.under < 0 {
		return nil
	}
	courses := make([]*Course, last)
	for p := best; last > 0; last-- {
		r := rows[last][t.number(p)]
		courses[last-1], p = r.course, r.from
	}
	all := &nothing
	for _, c := range courses {
		all = follow(all, c)
	}
	return all
}

// force is where a branch leads that comes to what is forced. Of successes that are enough the last one
// is under way until it ends the others, of failures each one.
func (t *turns) force(p place) place {
	if t.first && p.forced < t.k-1 {
		return place{p.forced + 1, p.under}
	}
	return place{min(p.forced+1, t.k), p.under + 1}
}
