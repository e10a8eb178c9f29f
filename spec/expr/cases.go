package expr

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mostCases bounds how many combinations of the cases of all subjects are tried.
const mostCases = 4096

// mostTries bounds how often the cases of one subject are tried on conditions.
const mostTries = 1 << 20

// truth is what is known of a condition in a case.
type truth uint8

const (
	no truth = iota
	yes
	unknownTruth
)

// Given is what is known of a node when the conditions of its transitions are evaluated.
type Given uint8

const (
	Anything     Given = iota // nothing: enums may hold no value, every node may fail
	GaveOutput                // it succeeded, and gave an output
	GaveNothing               // it succeeded, and what it runs gave no output
	FailedSoftly              // it failed, and continues without an output
)

// Cases decide whether conditions cover every case, by trying the cases. What conditions look
// at are subjects: a value that is compared with constants, whose cases are the constants and
// a value of each gap between them, or another part of a condition, which is true or false.
// Subjects are taken for independent, which they may not be: conditions that are found to
// cover every case do so, and some that do are not found.
type Cases struct {
	Subjects []*Subject
	Formulas []*Formula // of which one has to hold
	Given    Given

	pkg   *Package
	info  *types.Info // of the expression that is reduced
	index map[string]int

	about [][]*Formula // by subject
}

// NewCases returns the cases of no conditions.
func NewCases(p *Package, given Given) *Cases {
	return &Cases{Given: given, pkg: p.filled(), index: map[string]int{}}
}

// Add adds a condition.
func (w *Cases) Add(f *Formula) { w.Formulas = append(w.Formulas, f) }

// Empty reports whether the output has no content.
func (w *Cases) Empty() bool { return w.Given >= GaveNothing }

// settle finds the cases of every subject, once all conditions are known.
func (w *Cases) settle() {
	w.about = make([][]*Formula, len(w.Subjects))
	for _, f := range w.Formulas {
		w.note(f, f)
	}
	for _, s := range w.Subjects {
		s.Cases = w.cases(s)
	}
}

// note enters a formula under the subjects of its parts.
func (w *Cases) note(f, part *Formula) {
	switch part.kind {
	case isTest:
		list := &w.about[part.subject]
		if n := len(*list); n == 0 || (*list)[n-1] != f {
			*list = append(*list, f)
		}
	case isNot:
		w.note(f, part.x)
	case isAnd, isOr, isSame:
		w.note(f, part.x)
		w.note(f, part.y)
	}
}

func (w *Cases) cases(s *Subject) []constant.Value {
	ofOutput := strings.HasPrefix(strings.TrimPrefix(s.Text, "*"), "out.") || s.Text == "out"
	switch {
	case s.Text == IsNil("res.Err") && w.Given != Anything:
		return []constant.Value{constant.MakeBool(w.Given != FailedSoftly)}
	case s.Constants == nil && w.Empty() && (s.Text == IsNil("out") || strings.HasPrefix(s.Text, IsNil("out."))):
		return []constant.Value{constant.MakeBool(true)}
	case s.Constants == nil && w.Empty() && ofOutput && IsPath(s.Text):
		return []constant.Value{constant.MakeBool(false)}
	case s.Constants == nil:
		return []constant.Value{constant.MakeBool(false), constant.MakeBool(true)}
	case s.Enum == nil:
		return between(s)
	case w.Empty() && ofOutput && IsPath(s.Text):
		s.first = 0
		return []constant.Value{EnumValue(s.Enum, 0)}
	}
	s.first = 1
	if w.Given == Anything || s.loose || w.Empty() && ofOutput || len(s.Enum.Values) == 0 {
		s.first = 0
	}
	var out []constant.Value
	for i := s.first; i <= len(s.Enum.Values); i++ {
		out = append(out, EnumValue(s.Enum, i))
	}
	return out
}

// between returns the constants a subject is compared with, and a value for every gap
// between and around them.
func between(s *Subject) []constant.Value {
	known := slices.Clone(s.Constants)
	slices.SortFunc(known, func(a, b constant.Value) int {
		switch {
		case constant.Compare(a, token.LSS, b):
			return -1
		case constant.Compare(a, token.EQL, b):
			return 0
		}
		return 1
	})
	known = slices.CompactFunc(known, func(a, b constant.Value) bool { return constant.Compare(a, token.EQL, b) })
	var out []constant.Value
	add := func(v constant.Value) {
		same := func(o constant.Value) bool { return constant.Compare(o, token.EQL, v) }
		outside := s.low != nil && (constant.Compare(v, token.LSS, s.low) || constant.Compare(v, token.GTR, s.high))
		if !outside && (len(out) == 0 || !same(out[len(out)-1])) {
			out = append(out, v)
		}
	}
	one := constant.MakeInt64(1)
	for i, v := range known {
		switch {
		case v.Kind() == constant.String:
			if i == 0 && constant.StringVal(v) != "" {
				add(constant.MakeString(""))
			}
			add(v)
			add(constant.MakeString(constant.StringVal(v) + "\x00"))
		case s.float:
			v := constant.ToFloat(v)
			if i == 0 {
				add(constant.BinaryOp(v, token.SUB, one))
			} else {
				sum := constant.BinaryOp(v, token.ADD, constant.ToFloat(known[i-1]))
				add(constant.BinaryOp(sum, token.QUO, constant.MakeFloat64(2)))
			}
			add(v)
			if i == len(known)-1 {
				add(constant.BinaryOp(v, token.ADD, one))
			}
		default:
			add(constant.BinaryOp(v, token.SUB, one))
			add(v)
			add(constant.BinaryOp(v, token.ADD, one))
		}
	}
	if s.low != nil { // last: a message names the first case that nothing covers
		add(s.low)
		add(s.high)
	}
	if s.float {
		out = append(out, nil)
	}
	return out
}

// eval returns whether a condition holds in a case: for each subject the number of its case,
// or -1 where that is left open.
func (w *Cases) eval(f *Formula, at []int) truth {
	switch f.kind {
	case isConstant:
		return truthOf(constant.BoolVal(f.value))
	case isNot:
		switch w.eval(f.x, at) {
		case no:
			return yes
		case yes:
			return no
		}
		return unknownTruth
	case isAnd:
		return join(w.eval(f.x, at), func() truth { return w.eval(f.y, at) }, no)
	case isOr:
		return join(w.eval(f.x, at), func() truth { return w.eval(f.y, at) }, yes)
	}
	if f.kind == isSame {
		x, y := w.eval(f.x, at), w.eval(f.y, at)
		if x == unknownTruth || y == unknownTruth {
			return unknownTruth
		}
		return truthOf(x == y)
	}
	if at[f.subject] < 0 {
		return unknownTruth
	}
	v := w.Subjects[f.subject].Cases[at[f.subject]]
	switch {
	case f.value == nil:
		return truthOf(constant.BoolVal(v))
	case v == nil:
		return truthOf(f.op == token.NEQ)
	}
	return truthOf(constant.Compare(v, f.op, f.value))
}

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// join decides && and ||: one operand alone may do.
func join(x truth, y func() truth, decisive truth) truth {
	if x == decisive {
		return x
	}
	other := y()
	if other == decisive || x != unknownTruth {
		return other
	}
	return unknownTruth
}

// count returns how many combinations of cases there are, or more than mostCases.
func (w *Cases) count() int {
	n := 1
	for _, s := range w.Subjects {
		if n *= max(1, len(s.Cases)); n > mostCases {
			return n
		}
	}
	return n
}

// each visits every combination of cases until visit returns false.
func (w *Cases) each(visit func(at []int) bool) {
	at := make([]int, len(w.Subjects))
	for visit(at) {
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(w.Subjects[i].Cases) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return
		}
	}
}

// Uncovered returns a case in which none of the conditions holds, and false where there is
// none. The case is nil where there are too many to try.
func (w *Cases) Uncovered() (at []int, open bool) {
	w.settle()
	if w.count() > mostCases {
		for i := range w.Subjects {
			if len(w.Missing(i)) == 0 {
				return nil, false
			}
		}
		return nil, true
	}
	w.each(func(try []int) bool {
		if w.anyHolds(try) {
			return true
		}
		at, open = slices.Clone(try), true
		return false
	})
	return at, open
}

func (w *Cases) anyHolds(at []int) bool {
	return slices.ContainsFunc(w.Formulas, func(f *Formula) bool { return w.eval(f, at) == yes })
}

// Missing returns the cases of a subject in which no condition is sure to hold, whatever
// the other subjects are. Where that would take too long it returns some that may be.
func (w *Cases) Missing(i int) []int {
	s := w.Subjects[i]
	covered := make([]bool, len(s.Cases))
	var rest []*Formula
	var at map[string]int // cases by their text
	for _, f := range w.about[i] {
		if f.kind != isTest || f.op != token.EQL || f.value == nil {
			rest = append(rest, f)
			continue
		}
		// One value of many: found without trying each.
		if at == nil {
			at = make(map[string]int, len(s.Cases))
			for c, v := range s.Cases {
				at[caseKey(v)] = c
			}
		}
		if c, ok := at[caseKey(f.value)]; ok {
			covered[c] = true
		}
	}
	if len(s.Cases)*len(rest) > mostTries {
		rest = nil
	}
	open := make([]int, len(w.Subjects))
	for j := range open {
		open[j] = -1
	}
	var out []int
	for c := range s.Cases {
		open[i] = c
		if !covered[c] && !slices.ContainsFunc(rest, func(f *Formula) bool { return w.eval(f, open) == yes }) {
			out = append(out, c)
		}
	}
	return out
}

// MayHold reports whether a condition can hold in a case. It may where there are too many to try.
// After a soft failure, numbers and texts of the output are as in an empty one.
func (w *Cases) MayHold(f *Formula) bool {
	w.Add(f)
	w.settle()
	if w.Given == FailedSoftly {
		w.emptyOutput()
	}
	if w.count() > mostCases {
		return true
	}
	holds := false
	w.each(func(at []int) bool {
		holds = w.eval(f, at) != no
		return !holds
	})
	return holds
}

// emptyOutput gives numbers and texts of the output the value that they have when it is empty.
func (w *Cases) emptyOutput() {
	for _, s := range w.Subjects {
		if len(s.Constants) == 0 || s.Enum != nil || !strings.HasPrefix(s.Text, "out.") || !IsPath(s.Text) {
			continue
		}
		switch s.Constants[0].Kind() {
		case constant.String:
			s.Cases = []constant.Value{constant.MakeString("")}
		case constant.Int, constant.Float:
			s.Cases = []constant.Value{constant.MakeInt64(0)}
		}
	}
}

// IsAbsent reports whether a value is nil in a case.
func (w *Cases) IsAbsent(text string, at []int) bool {
	i, ok := w.index[IsNil(text)]
	return ok && constant.BoolVal(w.Subjects[i].Cases[at[i]])
}

// caseKey is the same for equal constants of one type.
func caseKey(v constant.Value) string {
	switch {
	case v == nil:
		return "NaN"
	case v.Kind() == constant.Float:
		if whole := constant.ToInt(v); whole.Kind() == constant.Int {
			v = whole
		}
	}
	return v.ExactString()
}

// alwaysSame returns the value of a condition that has the same in every case, else "".
func alwaysSame(p *Package, t *Typed) string {
	w := NewCases(p, Anything)
	f := w.Of(t)
	if f.kind == isTest && !w.Subjects[f.subject].counted {
		return "" // as most are: one comparison, which can come out either way
	}
	w.settle()
	if len(w.Subjects) == 0 || w.count() > mostCases {
		return ""
	}
	seen := [2]bool{}
	w.each(func(at []int) bool {
		seen[w.eval(f, at)] = true
		return !seen[no] || !seen[yes]
	})
	switch {
	case seen[no] && seen[yes]:
		return ""
	case seen[yes]:
		return "true"
	}
	return "false"
}
