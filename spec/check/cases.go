package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Whether conditions cover every case is decided by trying the cases. What conditions
// look at are subjects: a value compared with constants, whose cases are the constants and
// what lies between them, or a truth of its own, with two. Subjects are taken for
// independent of one another, which they may not be: so conditions that are found to cover
// every case do, and some that do are not found to.

// mostCases bounds how many combinations of the cases of all subjects are tried.
const mostCases = 4096

// mostTries bounds how often the cases of one subject are tried on conditions.
const mostTries = 1 << 20

// A subject is a value that conditions look at.
type subject struct {
	text    string // as it is written
	counted bool   // has a least value of its own: a length
	loose   bool   // an element of a list or map, which may not be there

	enum      *resolve.Type // of an enum
	float     bool          // may be NaN, which is no case of any comparison but !=
	ordered   bool          // compared by < and its like too
	low, high constant.Value
	constants []constant.Value

	cases []constant.Value // nil is NaN
}

// formulaKind says what a formula is.
type formulaKind uint8

const (
	isConstant formulaKind = iota
	isTest                 // subject op value; of a truth: subject
	isNot
	isAnd
	isOr
	isSame
)

// A formula is a condition reduced to its subjects.
type formula struct {
	kind    formulaKind
	x, y    *formula
	subject int
	op      token.Token
	value   constant.Value // of a test; of a constant its truth
}

// truth is what is known of a condition in a case.
type truth uint8

const (
	no truth = iota
	yes
	unknownTruth
)

// A world is a set of conditions with the cases of their subjects.
type world struct {
	scope    *scope
	info     *types.Info
	subjects []*subject
	index    map[string]int
	formulas []*formula
	about    [][]*formula // by subject

	unset  bool // anything may be: enums may hold no value, every node may fail
	failed bool // the node failed
	empty  bool // its output says nothing: it failed, or what it runs gave none
}

func newWorld(s *scope) *world { return &world{scope: s, index: map[string]int{}} }

// subject returns the number of the subject of that text.
func (w *world) subject(text string) int {
	if i, ok := w.index[text]; ok {
		return i
	}
	w.index[text] = len(w.subjects)
	w.subjects = append(w.subjects, &subject{text: text})
	return len(w.subjects) - 1
}

// holds is a truth of its own.
func (w *world) holds(text string) *formula {
	return &formula{kind: isTest, subject: w.subject(text)}
}

// compared is the comparison of a subject with a constant.
func (w *world) compared(text string, t types.Type, op token.Token, value constant.Value) *formula {
	i := w.subject(text)
	s := w.subjects[i]
	b := t.Underlying().(*types.Basic)
	switch {
	case b.Info()&types.IsFloat != 0:
		s.float = true
	case b.Info()&types.IsInteger != 0:
		s.low, s.high = leastAndMost(b)
	}
	s.enum = w.scope.origin[t]
	s.ordered = s.ordered || op != token.EQL && op != token.NEQ
	s.constants = append(s.constants, value)
	return &formula{kind: isTest, subject: i, op: op, value: value}
}

func negated(f *formula) *formula   { return &formula{kind: isNot, x: f} }
func both(x, y *formula) *formula   { return &formula{kind: isAnd, x: x, y: y} }
func either(x, y *formula) *formula { return &formula{kind: isOr, x: x, y: y} }
func fixed(value bool) *formula     { return &formula{value: constant.MakeBool(value)} }

// leastAndMost are the least and the greatest value of an integer type.
func leastAndMost(b *types.Basic) (low, high constant.Value) {
	bits := uint(8 * sizes.Sizeof(b))
	one := constant.MakeInt64(1)
	if b.Info()&types.IsUnsigned != 0 {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, bits), token.SUB, one)
	}
	top := constant.Shift(one, token.SHL, bits-1)
	return constant.UnaryOp(token.SUB, top, 0), constant.BinaryOp(top, token.SUB, one)
}

// formula reduces an expression that has been checked.
func (w *world) formula(e ast.Expr) *formula {
	e = ast.Unparen(e)
	if v := w.info.Types[e].Value; v != nil && v.Kind() == constant.Bool {
		return fixed(constant.BoolVal(v))
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return negated(w.formula(e.X))
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return both(w.formula(e.X), w.formula(e.Y))
		case token.LOR:
			return either(w.formula(e.X), w.formula(e.Y))
		}
		return w.comparison(e)
	}
	return w.holds(expr.Key(e))
}

// mirrored are the comparisons as they read from right to left.
var mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ,
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
}

func (w *world) comparison(e *ast.BinaryExpr) *formula {
	x, y, op := ast.Unparen(e.X), ast.Unparen(e.Y), e.Op
	if w.info.Types[x].Value != nil {
		x, y, op = y, x, mirrored[op]
	}
	t := w.info.Types[x].Type
	if value := w.info.Types[y].Value; value != nil && basic(t, types.IsOrdered) && !basic(t, types.IsUntyped) {
		return w.measured(x, t, op, value)
	}
	if basic(t, types.IsBoolean) {
		f := &formula{kind: isSame, x: w.formula(x), y: w.formula(y)}
		if op == token.NEQ {
			return negated(f)
		}
		return f
	}
	return w.related(expr.Key(x), expr.Key(y), op, basic(t, types.IsFloat) || basic(w.info.Types[y].Type, types.IsFloat))
}

// measured compares a value with a constant. What is counted is not negative.
func (w *world) measured(x ast.Expr, t types.Type, op token.Token, value constant.Value) *formula {
	f := w.compared(expr.Key(x), t, op, value)
	s := w.subjects[f.subject]
	if call, ok := x.(*ast.CallExpr); ok {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
			s.low, s.counted = constant.MakeInt64(0), true
		}
	}
	switch s.text {
	case "res.Step", "res.Visit":
		s.low, s.counted = constant.MakeInt64(1), true
	case "res.Attempts":
		s.low, s.counted = constant.MakeInt64(0), true
	}
	if s.enum != nil && !steady(x) {
		s.loose = true
	}
	return f
}

// steady reports whether an expression is a field: an element of a list or map may not be there.
func steady(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return true
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return false
		}
	}
}

// related compares two values. A >= B is !(A < B), unless one may be NaN.
func (w *world) related(x, y string, op token.Token, float bool) *formula {
	switch op {
	case token.EQL, token.NEQ:
		if y == "nil" || x != "nil" && y < x {
			x, y = y, x
		}
		f := w.holds(x + " == " + y)
		if op == token.NEQ {
			return negated(f)
		}
		return f
	case token.GTR, token.GEQ:
		x, y, op = y, x, mirrored[op]
	}
	if op == token.LEQ && !float {
		return negated(w.holds(y + " < " + x))
	}
	return w.holds(x + " " + op.String() + " " + y)
}

// settle finds the cases of every subject, once all conditions are known.
func (w *world) settle() {
	w.about = make([][]*formula, len(w.subjects))
	for _, f := range w.formulas {
		w.note(f, f)
	}
	for _, s := range w.subjects {
		s.cases = w.cases(s)
	}
}

// note enters a formula under the subjects of its parts.
func (w *world) note(f, part *formula) {
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

func (w *world) cases(s *subject) []constant.Value {
	ofOutput := strings.HasPrefix(strings.TrimPrefix(s.text, "*"), "out.") || s.text == "out"
	switch {
	case s.text == isNil("res.Err") && !w.unset:
		return []constant.Value{constant.MakeBool(!w.failed)}
	case s.constants == nil && w.empty && (s.text == isNil("out") || strings.HasPrefix(s.text, isNil("out."))):
		return []constant.Value{constant.MakeBool(true)}
	case s.constants == nil && w.empty && ofOutput && isPath(s.text):
		return []constant.Value{constant.MakeBool(false)}
	case s.constants == nil:
		return []constant.Value{constant.MakeBool(false), constant.MakeBool(true)}
	case s.enum == nil:
		return between(s)
	case w.empty && ofOutput && isPath(s.text):
		return []constant.Value{constant.MakeInt64(0)}
	}
	first := int64(1)
	if w.unset || s.loose || w.empty && ofOutput || len(s.enum.Values) == 0 {
		first = 0
	}
	var out []constant.Value
	for i := first; i <= int64(len(s.enum.Values)); i++ {
		out = append(out, constant.MakeInt64(i))
	}
	return out
}

// isNil is the text of the truth that a value is nil.
func isNil(text string) string { return "nil == " + text }

// isPath reports whether a text is a field, of a field.
func isPath(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c != '.' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// between returns the constants a subject is compared with, and a value for every gap
// between and around them.
func between(s *subject) []constant.Value {
	known := slices.Clone(s.constants)
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

// eval says whether a condition holds in a case: for each subject the number of its case,
// or -1 where that is left open.
func (w *world) eval(f *formula, at []int) truth {
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
	v := w.subjects[f.subject].cases[at[f.subject]]
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
func (w *world) count() int {
	n := 1
	for _, s := range w.subjects {
		if n *= max(1, len(s.cases)); n > mostCases {
			return n
		}
	}
	return n
}

// each visits every combination of cases until visit returns false.
func (w *world) each(visit func(at []int) bool) {
	at := make([]int, len(w.subjects))
	for visit(at) {
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(w.subjects[i].cases) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return
		}
	}
}

// uncovered returns a case in which none of the conditions holds, and false where there is
// none. The case is nil where there are too many to try.
func (w *world) uncovered() (at []int, open bool) {
	if w.count() > mostCases {
		for i := range w.subjects {
			if len(w.missing(i)) == 0 {
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

func (w *world) anyHolds(at []int) bool {
	return slices.ContainsFunc(w.formulas, func(f *formula) bool { return w.eval(f, at) == yes })
}

// missing returns the cases of a subject in which no condition is sure to hold, whatever
// the other subjects are. Where that would take too long it returns some that may be.
func (w *world) missing(i int) []int {
	s := w.subjects[i]
	covered := make([]bool, len(s.cases))
	var rest []*formula
	var at map[string]int // cases by their text
	for _, f := range w.about[i] {
		if f.kind != isTest || f.op != token.EQL || f.value == nil {
			rest = append(rest, f)
			continue
		}
		// One value of many: found without trying each.
		if at == nil {
			at = make(map[string]int, len(s.cases))
			for c, v := range s.cases {
				at[caseKey(v)] = c
			}
		}
		if c, ok := at[caseKey(f.value)]; ok {
			covered[c] = true
		}
	}
	if len(s.cases)*len(rest) > mostTries {
		rest = nil
	}
	open := make([]int, len(w.subjects))
	for j := range open {
		open[j] = -1
	}
	var out []int
	for c := range s.cases {
		open[i] = c
		if !covered[c] && !slices.ContainsFunc(rest, func(f *formula) bool { return w.eval(f, open) == yes }) {
			out = append(out, c)
		}
	}
	return out
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
func alwaysSame(s *scope, cond *condition) string {
	w := newWorld(s)
	w.info, w.unset = &cond.info, true
	f := w.formula(cond.tree)
	if f.kind == isTest && !w.subjects[f.subject].counted {
		return "" // as most are: one comparison, which can come out either way
	}
	w.settle()
	if len(w.subjects) == 0 || w.count() > mostCases {
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
