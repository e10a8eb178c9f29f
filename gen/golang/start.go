package golang

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// startValue is a value that an author wrote for a type, as a Go expression of the type. The
// value has been checked to fit.
func startValue(t *resolve.Type, v spec.Scalar) *jen.Statement {
	switch t.Kind {
	case resolve.Int:
		n, _ := strconv.Atoi(v.Text)
		return jen.Lit(n)
	case resolve.Float:
		n, _ := strconv.ParseFloat(v.Text, 64)
		return number(n)
	case resolve.Bool:
		return jen.Lit(v.Text[0] == 't' || v.Text[0] == 'T')
	case resolve.Enum:
		return constant(t, t.Value(v.Text).Const)
	case resolve.Duration:
		d, _ := time.ParseDuration(v.Text)
		return duration(d)
	case resolve.Time:
		at, _ := time.Parse(time.RFC3339Nano, v.Text)
		return instant(at.UTC())
	case resolve.List:
		return goType(t).ValuesFunc(func(g *jen.Group) {
			for _, item := range v.Items {
				g.Add(startValue(t.Elem, item))
			}
		})
	case resolve.Map:
		return goType(t).ValuesFunc(func(g *jen.Group) {
			for i := 0; i < len(v.Items); i += 2 {
				g.Add(jen.Lit(v.Items[i].Text).Op(":").Add(startValue(t.Elem, v.Items[i+1])))
			}
		})
	case resolve.Bytes:
		raw, _ := base64.StdEncoding.DecodeString(v.Text)
		return jen.Index().Byte().Parens(jen.Lit(string(raw)))
	}
	return jen.Lit(v.Text)
}

// constant is a constant of an enum, which may be of another package.
func constant(t *resolve.Type, name string) *jen.Statement {
	if t.Import != "" {
		return jen.Qual(t.Import, name)
	}
	return jen.Id(name)
}

// instant is a time in UTC as a Go expression.
func instant(at time.Time) *jen.Statement {
	return jen.Qual("time", "Date").Call(
		jen.Lit(at.Year()), jen.Qual("time", at.Month().String()), jen.Lit(at.Day()),
		jen.Lit(at.Hour()), jen.Lit(at.Minute()), jen.Lit(at.Second()), jen.Lit(at.Nanosecond()), jen.Qual("time", "UTC"),
	)
}
