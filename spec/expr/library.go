package expr

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"
)

// A stub declares what expressions may use of a package of the standard library: its pure
// functions and methods that take no function and give one value, and its types. A field that is
// a func keeps a type from being compared. Reading the library itself takes a hundred times as
// long, and needs a Go installation.
type stub struct{ name, path, source string }

var stubs = []stub{
	{"cmp", "cmp", `package cmp
type Ordered interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 | ~string
}`},
	{"slices", "slices", `package slices
import "cmp"
func Compare[S ~[]E, E cmp.Ordered](s1, s2 S) int {}
func Concat[S ~[]E, E any](slices ...S) S {}
func Contains[S ~[]E, E comparable](s S, v E) bool {}
func Equal[S ~[]E, E comparable](s1, s2 S) bool {}
func Index[S ~[]E, E comparable](s S, v E) int {}
func IsSorted[S ~[]E, E cmp.Ordered](x S) bool {}
func Max[S ~[]E, E cmp.Ordered](x S) E {}
func Min[S ~[]E, E cmp.Ordered](x S) E {}`},
	{"strings", "strings", `package strings
func Compare(a, b string) int
func Contains(s, substr string) bool
func ContainsAny(s, chars string) bool
func ContainsRune(s string, r rune) bool
func Count(s, substr string) int
func EqualFold(s, t string) bool
func Fields(s string) []string
func HasPrefix(s, prefix string) bool
func HasSuffix(s, suffix string) bool
func Index(s, substr string) int
func IndexAny(s, chars string) int
func IndexByte(s string, c byte) int
func IndexRune(s string, r rune) int
func Join(elems []string, sep string) string
func LastIndex(s, substr string) int
func LastIndexAny(s, chars string) int
func LastIndexByte(s string, c byte) int
func Repeat(s string, count int) string
func Replace(s, old, new string, n int) string
func ReplaceAll(s, old, new string) string
func Split(s, sep string) []string
func SplitAfter(s, sep string) []string
func SplitAfterN(s, sep string, n int) []string
func SplitN(s, sep string, n int) []string
func ToLower(s string) string
func ToTitle(s string) string
func ToUpper(s string) string
func ToValidUTF8(s, replacement string) string
func Trim(s, cutset string) string
func TrimLeft(s, cutset string) string
func TrimPrefix(s, prefix string) string
func TrimRight(s, cutset string) string
func TrimSpace(s string) string
func TrimSuffix(s, suffix string) string`},
	{"math", "math", `package math
const (
	E = 2.71828182845904523536028747135266249775724709369995957496696763
	Pi = 3.14159265358979323846264338327950288419716939937510582097494459
	MaxFloat32 = 0x1p127 * (1 + (1 - 0x1p-23))
	MaxFloat64 = 0x1p1023 * (1 + (1 - 0x1p-52))
	SmallestNonzeroFloat64 = 0x1p-1022 * 0x1p-52
	MaxInt8 = 1<<7 - 1
	MinInt8 = -1 << 7
	MaxInt16 = 1<<15 - 1
	MinInt16 = -1 << 15
	MaxInt32 = 1<<31 - 1
	MinInt32 = -1 << 31
	MaxInt64 = 1<<63 - 1
	MinInt64 = -1 << 63
	MaxUint8 = 1<<8 - 1
	MaxUint16 = 1<<16 - 1
	MaxUint32 = 1<<32 - 1
)
func Abs(x float64) float64
func Cbrt(x float64) float64
func Ceil(x float64) float64
func Copysign(f, sign float64) float64
func Cos(x float64) float64
func Dim(x, y float64) float64
func Exp(x float64) float64
func Exp2(x float64) float64
func Floor(x float64) float64
func Hypot(p, q float64) float64
func Inf(sign int) float64
func IsInf(f float64, sign int) bool
func IsNaN(f float64) (is bool)
func Log(x float64) float64
func Log10(x float64) float64
func Log1p(x float64) float64
func Log2(x float64) float64
func Max(x, y float64) float64
func Min(x, y float64) float64
func Mod(x, y float64) float64
func NaN() float64
func Pow(x, y float64) float64
func Remainder(x, y float64) float64
func Round(x float64) float64
func RoundToEven(x float64) float64
func Signbit(x float64) bool
func Sin(x float64) float64
func Sqrt(x float64) float64
func Tan(x float64) float64
func Tanh(x float64) float64
func Trunc(x float64) float64`},
	{"utf8", "unicode/utf8", `package utf8
const (
	RuneError = '\uFFFD'
	RuneSelf = 0x80
	MaxRune = '\U0010FFFF'
	UTFMax = 4
)
func RuneCount(p []byte) int
func RuneCountInString(s string) (n int)
func RuneLen(r rune) int
func Valid(p []byte) bool
func ValidRune(r rune) bool
func ValidString(s string) bool`},
	{"time", "time", `package time
type Duration int64
const (
	Nanosecond Duration = 1
	Microsecond = 1000 * Nanosecond
	Millisecond = 1000 * Microsecond
	Second = 1000 * Millisecond
	Minute = 60 * Second
	Hour = 60 * Minute
)
func (d Duration) Abs() Duration
func (d Duration) Hours() float64
func (d Duration) Microseconds() int64
func (d Duration) Milliseconds() int64
func (d Duration) Minutes() float64
func (d Duration) Nanoseconds() int64
func (d Duration) Round(m Duration) Duration
func (d Duration) Seconds() float64
func (d Duration) String() string
func (d Duration) Truncate(m Duration) Duration
type Month int
const (
	January Month = 1 + iota
	February
	March
	April
	May
	June
	July
	August
	September
	October
	November
	December
)
func (m Month) String() string
type Weekday int
const (
	Sunday Weekday = iota
	Monday
	Tuesday
	Wednesday
	Thursday
	Friday
	Saturday
)
func (d Weekday) String() string
type Location struct { hidden func() }
var UTC *Location
type Time struct { hidden func() }
func Date(year int, month Month, day, hour, min, sec, nsec int, loc *Location) Time
func (t Time) Add(d Duration) Time
func (t Time) AddDate(years int, months int, days int) Time
func (t Time) After(u Time) bool
func (t Time) Before(u Time) bool
func (t Time) Compare(u Time) int
func (t Time) Day() int
func (t Time) Equal(u Time) bool
func (t Time) Format(layout string) string
func (t Time) Hour() int
func (t Time) IsZero() bool
func (t Time) Minute() int
func (t Time) Month() Month
func (t Time) Nanosecond() int
func (t Time) Round(d Duration) Time
func (t Time) Second() int
func (t Time) Sub(u Time) Duration
func (t Time) Truncate(d Duration) Time
func (t Time) UTC() Time
func (t Time) Unix() int64
func (t Time) UnixMicro() int64
func (t Time) UnixMilli() int64
func (t Time) UnixNano() int64
func (t Time) Weekday() Weekday
func (t Time) Year() int
func (t Time) YearDay() int`},
	{"jsontext", "github.com/go-json-experiment/json/jsontext", `package jsontext
type Kind byte
func (k Kind) String() string
type Value []byte
func (v Value) Kind() Kind
func (v Value) String() string`},
	{"json", "encoding/json", `package json
type RawMessage []byte`},
}

// callable are the packages of the stubs that expressions may name.
var callable = []string{"math", "slices", "strings", "time", "utf8"}

// A library holds the checked stubs by name.
type library map[string]*types.Package

// Import finds a stub that a later one imports.
func (l library) Import(path string) (*types.Package, error) { return l[path], nil }

// standardLibrary checks the stubs, once in a process: nothing changes them after.
var standardLibrary = sync.OnceValue(func() library {
	l := library{}
	for _, s := range stubs {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, s.path, s.source, parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		conf := types.Config{Importer: l, IgnoreFuncBodies: true}
		p, err := conf.Check(s.path, fset, []*ast.File{file}, nil)
		if err != nil {
			panic(err)
		}
		l[s.name] = p
	}
	return l
})
