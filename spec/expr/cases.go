package expr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

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

// A Subject is a value that conditions look at.
type Subject struct {
	Text    string // as it is written
	counted bool   // has a least value of its own: a length
	loose   bool   // an element of a list or map, which may not be there

	Enum      *resolve.Type // of an enum
	float     bool          // may be NaN, which is no case of any comparison but !=
	ordered   bool          // compared by < and its like too
	low, high constant.Value
	Constants []constant.Value

	Cases []constant.Value // nil is NaN
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

// A Formula is a condition reduced to its subjects.
type Formula struct {
	kind    formulaKind
	x, y    *Formula
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

// Cases are a set of conditions with the cases of their subjects.
type Cases struct {
	Subjects []*Subject
	Formulas []*Formula // conditions of which one has to hold

	Unset  bool // anything may be: enums may hold no value, every node may fail
	Failed bool // the node failed
	Empty  bool // its output says nothing: it failed, or what it runs gave none

	pkg   *Package
	info  *types.Info
	index map[string]int
	about [][]*Formula // by subject
}

// NewCases returns the cases of no conditions.
func NewCases(p *Package) *Cases { return &Cases{pkg: p.filled(), index: map[string]int{}} }

// subject returns the number of the subject of that text.
func (w *Cases) subject(text string) int {
	if i, ok := w.index[text]; ok {
		return i
	}
	w.index[text] = len(w.Subjects)
	w.Subjects = append(w.Subjects, &Subject{Text: text})
	return len(w.Subjects) - 1
}

// Holds is a truth of its own.
func (w *Cases) Holds(text string) *Formula {
	return &Formula{kind: isTest, subject: w.subject(text)}
}

// Compared is the comparison of a value of a type of the spec with a constant.
func (w *Cases) Compared(text string, t *resolve.Type, op token.Token, value constant.Value) *Formula {
	return w.compared(text, w.pkg.typeOf(t), op, value)
}

// compared is the comparison of a subject with a constant.
func (w *Cases) compared(text string, t types.Type, op token.Token, value constant.Value) *Formula {
	i := w.subject(text)
	s := w.Subjects[i]
	b := t.Underlying().(*types.Basic)
	switch {
	case b.Info()&types.IsFloat != 0:
		s.float = true
	case b.Info()&types.IsInteger != 0:
		s.low, s.high = leastAndMost(b)
	}
	s.Enum = w.pkg.origin[t]
	s.ordered = s.ordered || op != token.EQL && op != token.NEQ
	s.Constants = append(s.Constants, value)
	return &Formula{kind: isTest, subject: i, op: op, value: value}
}

func Not(f *Formula) *Formula    { return &Formula{kind: isNot, x: f} }
func And(x, y *Formula) *Formula { return &Formula{kind: isAnd, x: x, y: y} }
func Or(x, y *Formula) *Formula  { return &Formula{kind: isOr, x: x, y: y} }
func fixed(value bool) *Formula  { return &Formula{value: constant.MakeBool(value)} }

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

// Of reduces a condition that has been typed without a mistake.
func (w *Cases) Of(t *Typed) *Formula {
	w.info = &t.info
	return w.formula(t.Expr.Tree)
}

// formula reduces an expression that has been checked.
func (w *Cases) formula(e ast.Expr) *Formula {
	e = ast.Unparen(e)
	if v := w.info.Types[e].Value; v != nil && v.Kind() == constant.Bool {
		return fixed(constant.BoolVal(v))
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return Not(w.formula(e.X))
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return And(w.formula(e.X), w.formula(e.Y))
		case token.LOR:
			return Or(w.formula(e.X), w.formula(e.Y))
		}
		return w.comparison(e)
	}
	return w.Holds(Key(e))
}

// mirrored are the comparisons as they read from right to left.
var mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ,
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
}

func (w *Cases) comparison(e *ast.BinaryExpr) *Formula {
	x, y, op := ast.Unparen(e.X), ast.Unparen(e.Y), e.Op
	if w.info.Types[x].Value != nil {
		x, y, op = y, x, mirrored[op]
	}
	t := w.info.Types[x].Type
	if value := w.info.Types[y].Value; value != nil && basic(t, types.IsOrdered) && !basic(t, types.IsUntyped) {
		return w.measured(x, t, op, value)
	}
	if basic(t, types.IsBoolean) {
		f := &Formula{kind: isSame, x: w.formula(x), y: w.formula(y)}
		if op == token.NEQ {
			return Not(f)
		}
		return f
	}
	return w.related(Key(x), Key(y), op, basic(t, types.IsFloat) || basic(w.info.Types[y].Type, types.IsFloat))
}

// measured compares a value with a constant. What is counted is not negative.
func (w *Cases) measured(x ast.Expr, t types.Type, op token.Token, value constant.Value) *Formula {
	f := w.compared(Key(x), t, op, value)
	s := w.Subjects[f.subject]
	if call, ok := x.(*ast.CallExpr); ok {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
			s.low, s.counted = constant.MakeInt64(0), true
		}
	}
	switch s.Text {
	case "res.Step", "res.Visit":
		s.low, s.counted = constant.MakeInt64(1), true
	case "res.Attempts":
		s.low, s.counted = constant.MakeInt64(0), true
	}
	if s.Enum != nil && !steady(x) {
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
func (w *Cases) related(x, y string, op token.Token, float bool) *Formula {
	switch op {
	case token.EQL, token.NEQ:
		if y == "nil" || x != "nil" && y < x {
			x, y = y, x
		}
		f := w.Holds(x + " == " + y)
		if op == token.NEQ {
			return Not(f)
		}
		return f
	case token.GTR, token.GEQ:
		x, y, op = y, x, mirrored[op]
	}
	if op == token.LEQ && !float {
		return Not(w.Holds(y + " < " + x))
	}
	return w.Holds(x + " " + op.String() + " " + y)
}

// Settle finds the cases of every subject, once all conditions are known.
func (w *Cases) Settle() {
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
	case s.Text == IsNil("res.Err") && !w.Unset:
		return []constant.Value{constant.MakeBool(!w.Failed)}
	case s.Constants == nil && w.Empty && (s.Text == IsNil("out") || strings.HasPrefix(s.Text, IsNil("out."))):
		return []constant.Value{constant.MakeBool(true)}
	case s.Constants == nil && w.Empty && ofOutput && IsPath(s.Text):
		return []constant.Value{constant.MakeBool(false)}
	case s.Constants == nil:
		return []constant.Value{constant.MakeBool(false), constant.MakeBool(true)}
	case s.Enum == nil:
		return between(s)
	case w.Empty && ofOutput && IsPath(s.Text):
		return []constant.Value{constant.MakeInt64(0)}
	}
	first := int64(1)
	if w.Unset || s.loose || w.Empty && ofOutput || len(s.Enum.Values) == 0 {
		first = 0
	}
	var out []constant.Value
	for i := first; i <= int64(len(s.Enum.Values)); i++ {
		out = append(out, constant.MakeInt64(i))
	}
	return out
}

// IsNil is the text of the truth that a value is nil.
func IsNil(text string) string { return "nil == " + text }

// IsPath reports whether a text is a field, of a field.
func IsPath(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c != '.' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
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

// eval says whether a condition holds in a case: for each subject the number of its case,
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
func (w *Cases) MayHold(f *Formula) bool {
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

// EmptyOutput leaves numbers and texts of the output only what they are when it is empty.
func (w *Cases) EmptyOutput() {
	for _, s := range w.Subjects {
		if len(s.Constants) == 0 || s.Enum != nil || len(s.Text) < 4 || s.Text[:4] != "out." || !IsPath(s.Text) {
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

// Describe says that a subject is in a case.
func (s *Subject) Describe(v constant.Value) string {
	text := s.Text
	switch {
	case v == nil:
		return text + " is NaN"
	case s.Constants == nil:
		if value, ok := strings.CutPrefix(text, IsNil("")); ok {
			if constant.BoolVal(v) {
				return value + " is absent"
			}
			return value + " is there"
		}
		return text + " is " + v.String()
	case s.Enum != nil:
		if i, _ := constant.Int64Val(v); i > 0 {
			return text + " is " + s.Enum.Values[i-1].Name
		}
		return text + " is not set"
	case v.Kind() == constant.String && !slices.ContainsFunc(s.Constants, func(c constant.Value) bool { return constant.Compare(c, token.EQL, v) }):
		return text + " is another text"
	}
	return text + " is " + v.String()
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
	w := NewCases(p)
	w.Unset = true
	f := w.Of(t)
	if f.kind == isTest && !w.Subjects[f.subject].counted {
		return "" // as most are: one comparison, which can come out either way
	}
	w.Settle()
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
