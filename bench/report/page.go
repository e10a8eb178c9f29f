package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// of returns the figures of a benchmark in a unit, by layout.
func (s samples) of(b benchmark, unit string) (layouts [][]float64) {
	for _, turns := range s[b] {
		var values []float64
		for _, r := range turns {
			if value, ok := r[unit]; ok {
				values = append(values, value)
			}
		}
		layouts = append(layouts, values)
	}
	return layouts
}

// least returns the median over the layouts of their minima; false where there is none.
func least(layouts [][]float64) (float64, bool) {
	var minima []float64
	for _, turns := range layouts {
		if len(turns) > 0 {
			minima = append(minima, slices.Min(turns))
		}
	}
	if len(minima) == 0 {
		return 0, false
	}
	return median(minima), true
}

// beside returns the ratios and the differences of the minima of two benchmarks, by layout.
func beside(of, base [][]float64) (ratios, differences []float64) {
	for i := range min(len(of), len(base)) {
		if len(of[i]) == 0 || len(base[i]) == 0 {
			continue
		}
		a, b := slices.Min(of[i]), slices.Min(base[i])
		ratios = append(ratios, a/b)
		differences = append(differences, a-b)
	}
	return ratios, differences
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// figures are what is measured for a row. What is not measured is infinite: it meets no target.
type figures struct {
	suffix             string // the unit, after a space
	measured, besides  bool
	least, median      float64
	counts             bool // allocations
	allocations, bytes float64
	base               float64
	ratio, more        float64
	ratios             []float64 // by layout
}

func (r row) figures(s samples) figures {
	unit, none := cmp.Or(r.unit, "ns/op"), math.Inf(1)
	f := figures{suffix: suffix(unit), least: none, allocations: none, bytes: none, ratio: none, more: none}
	of := s.of(r.of, unit)
	minimum, ok := least(of)
	if !ok {
		return f
	}
	f.measured, f.least, f.median = true, minimum, median(slices.Concat(of...))
	if n, ok := least(s.of(r.of, "allocs/op")); ok && r.of.how == inTurns {
		f.counts, f.allocations = true, n
		f.bytes, _ = least(s.of(r.of, "B/op"))
	}
	base := s.of(r.beside, cmp.Or(r.besideUnit, unit))
	if ratios, differences := beside(of, base); len(ratios) > 0 {
		f.besides, f.ratios = true, ratios
		f.base, _ = least(base)
		f.ratio, f.more = median(ratios), median(differences)
	}
	return f
}

// suffix returns the end of a unit that a figure is printed with.
func suffix(unit string) string {
	unit = unit[strings.LastIndex(unit, "-")+1:]
	unit, _, _ = strings.Cut(unit, "/")
	return " " + unit
}

// markdown writes a table: minimum, median, allocations, what it is compared with, and the target.
func (t table) markdown(s samples) string {
	var w strings.Builder
	fmt.Fprintf(&w, "## %s\n\n%s\n\n", t.title, t.text)
	w.WriteString("| | minimum | median | bytes | allocations | compared with | ratio | difference | target | met |\n")
	w.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---|---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(&w, "| %s |\n", strings.Join(r.cells(s), " | "))
	}
	return w.String()
}

func (r row) cells(s samples) []string {
	f := r.figures(s)
	text, met := r.target.cells(f)
	cells := []string{r.what, "not measured", "", "", "", "", "", "", text, met}
	if !f.measured {
		return cells
	}
	cells[1], cells[2] = number(f.least)+f.suffix, number(f.median)+f.suffix
	if f.counts {
		cells[3], cells[4] = number(f.bytes), number(f.allocations)
	}
	if f.besides {
		cells[5] = cmp.Or(r.than, "by hand") + " " + number(f.base) + f.suffix
		cells[6] = ratio(f.ratio)
		if low, high := slices.Min(f.ratios), slices.Max(f.ratios); low != high {
			cells[6] += fmt.Sprintf(" (%.2f to %.2f)", low, high)
		}
		cells[7] = number(f.more) + f.suffix
	}
	return cells
}

// number writes a figure with three digits that count, or all before the point.
func number(f float64) string {
	digits := 0
	switch {
	case f == math.Trunc(f) || math.Abs(f) >= 100:
	case math.Abs(f) < 10:
		digits = 2
	default:
		digits = 1
	}
	text := strconv.FormatFloat(f, 'f', digits, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	n, _ := strconv.Atoi(whole) // of digits
	if n == 0 || fraction != "" {
		return text
	}
	return group(n)
}

// group writes a number with commas between thousands.
func group(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
