package golang

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// directed is the expression of a condition between line directives. numberLines gives the second one the line of
// the file that the expression ends on.
func (e *emitter) directed(c *plan.Condition) *jen.Statement {
	place := fmt.Sprintf("/*line %s:%d:%d*/", e.m.File, c.Place.Line, max(1, c.Place.Col-1))
	return jen.Op(place).Add(qualified(c)).Op("/*line " + e.m.Stem + "_graph.go:1:1*/")
}

// qualified is the expression of a condition, with the packages that it names as the file imports them.
func qualified(c *plan.Condition) *jen.Statement {
	var tokens scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(c.Expr))
	tokens.Init(file, []byte(c.Expr), nil, 0)
	expr, done, from, before := jen.Null(), 0, "", token.ILLEGAL
	for {
		pos, tok, text := tokens.Scan()
		switch at := file.Offset(pos); {
		case tok == token.EOF:
			return expr.Op(c.Expr[done:])
		case tok == token.IDENT && before == token.PERIOD && from != "":
			expr.Qual(from, text)
			done, from = at+len(text), ""
		case tok == token.IDENT && before != token.PERIOD:
			i := slices.IndexFunc(c.Imports, func(i resolve.Import) bool { return i.Name == text })
			if from = ""; i >= 0 {
				expr.Op(c.Expr[done:at])
				done, from = at, c.Imports[i].Path
			}
		}
		before = tok
	}
}

// inPlace is the condition of a case.
func (e *emitter) inPlace(t plan.Test) *jen.Statement {
	condition := e.directed(t.Cond)
	if strings.Contains(t.Cond.Expr, "||") && (t.Transition.Max > 0 || mayTake(t.Transition) != nil) {
		return jen.Parens(condition)
	}
	return condition
}

// numberLines sets the lines in the directives that lead back to a file.
func numberLines(code []byte, name string) []byte {
	var b bytes.Buffer
	directive, line := "/*line "+name+":1:1*/", 0
	for text := range bytes.Lines(code) {
		line++
		at := commentAt(text, directive)
		if at < 0 {
			b.Write(text)
			continue
		}
		b.Write(text[:at])
		fmt.Fprintf(&b, "/*line %s:%d:1*/", name, line)
		b.Write(text[at+len(directive):])
	}
	return b.Bytes()
}

// commentAt returns where a line of Go has a comment, -1 if it has none: the same text in a literal or in another comment is an author's.
func commentAt(line []byte, comment string) int {
	if !bytes.Contains(line, []byte(comment)) {
		return -1
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(line))
	s.Init(file, line, nil, scanner.ScanComments)
	for {
		switch pos, tok, text := s.Scan(); {
		case tok == token.EOF:
			return -1
		case tok == token.COMMENT && text == comment:
			return file.Offset(pos)
		}
	}
}

// conditionCall is the call of a condition from the machine.
func conditionCall(c *plan.Condition) *jen.Statement { return conditionOf(c, "state") }

// conditionOf is conditionCall with a state that the run has.
func conditionOf(c *plan.Condition, state string) *jen.Statement {
	return jen.Id(c.Func).CallFunc(func(g *jen.Group) {
		if c.UsesOut && c.Out != nil {
			g.Id("out")
		}
		if c.UsesState {
			g.Op("&").Id("r").Dot(state)
		}
		if c.UsesResult {
			g.Id("r").Dot("Result").Call()
		}
		if c.UsesEvals && c.Verdicts != nil {
			g.Id("evals")
		}
	})
}
