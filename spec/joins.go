package spec

// A Join is a value of join: a row of Joins. Code asks it for its traits.
type Join struct {
	Word

	Some           bool   // count branches have to succeed, else every branch
	StopsOnSuccess bool   // the branch that decides the success of the node cancels the others
	StopsOnFailure bool   // the first branch that fails cancels the others
	Every          string // the join that is the same where count is the number of branches; empty: count has no effect
}

// Joins are the values of a parallel's and a map's join.
var Joins = []Join{
	{Word: Word{Name: "fail_fast", Doc: "Every branch has to succeed; the first that fails cancels the others."}, StopsOnFailure: true},
	{Word: Word{Name: "all", Doc: "Every branch has to succeed. Each runs to its end, even when another fails."}},
	{Word: Word{Name: "first", Doc: "The first branches that succeed are enough, `count` of them; the others are cancelled."},
		Some: true, StopsOnSuccess: true, Every: "fail_fast"},
	{Word: Word{Name: "settled", Doc: "Every branch runs to its end. Failed branches are left out, and `count` branches have to succeed."},
		Some: true, Every: "all"},
}

// DefaultJoin is the join of a node that names none.
const DefaultJoin = "fail_fast"

// JoinOf returns the join of that name, the default for one that the language does not have.
func JoinOf(name string) *Join {
	for i := range Joins {
		if Joins[i].Name == name {
			return &Joins[i]
		}
	}
	return &Joins[0]
}

// Stops reports whether one branch may cancel the others.
func (j *Join) Stops() bool { return j.StopsOnSuccess || j.StopsOnFailure }
