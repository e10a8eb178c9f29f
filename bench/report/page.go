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
			values = append(values, r[unit])
		}
		layouts = append(layouts, values)
	}
	return layouts
}

// beside returns the medians over the layouts of the ratio and of the difference of two minima.
func beside(of, base [][]float64) (ratio, more float64) {
	var ratios, differences []float64
	for i := range of {
		if len(of[i]) == 0 || len(base[i]) == 0 {
			continue
		}
		a, b := slices.Min(of[i]), slices.Min(base[i])
		ratios = append(ratios, a/b)
		differences = append(differences, a-b)
	}
	return median(ratios), median(differences)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// markdown writes a table: minimum, median, allocations, what it is compared with, and the target.
func (t table) markdown(s samples) string {
	var w strings.Builder
	fmt.Fprintf(&w, "## %s\n\n%s\n\n", t.title, t.text)
	w.WriteString("| | minimum | median | bytes | allocations | compared with, minimum | ratio | difference | target |\n")
	w.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(&w, "| %s |\n", strings.Join(r.cells(s), " | "))
	}
	return w.String()
}

func (r row) cells(s samples) []string {
	unit := cmp.Or(r.unit, "ns/op")
	suffix := " ns"
	if !strings.HasPrefix(unit, "ns") {
		suffix = " B"
	}
	of := s.of(r.of, unit)
	all := slices.Concat(of...)
	cells := []string{r.what, number(slices.Min(all)) + suffix, number(median(all)) + suffix, "", "", "", "", "", r.target}
	if unit == "ns/op" {
		cells[3] = number(slices.Min(slices.Concat(s.of(r.of, "B/op")...)))
		cells[4] = number(slices.Min(slices.Concat(s.of(r.of, "allocs/op")...)))
	}
	if r.beside != (benchmark{}) {
		base := s.of(r.beside, unit)
		ratio, more := beside(of, base)
		cells[5] = number(slices.Min(slices.Concat(base...))) + suffix
		cells[6] = strconv.FormatFloat(ratio, 'f', 2, 64) + " ×"
		cells[7] = number(more) + suffix
	}
	return cells
}

// number writes a figure with three digits that count, or all before the point.
func number(f float64) string {
	digits := 0
	if f != math.Trunc(f) && math.Abs(f) < 100 {
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
