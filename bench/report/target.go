package main

import (
	"strconv"
	"strings"
)

// A target is what a figure has to meet. A bound of 0 bounds nothing.
type target struct {
	most        float64 // of the figure itself
	ratio, more float64 // beside what it is compared with
	allocations float64
	bytes       float64
}

// A bound is one number of a target, and what is measured for it.
type bound struct {
	most, is float64
	text     string
}

func (t target) bounds(f figures) []bound {
	all := []bound{
		{t.most, f.least, number(t.most) + f.suffix},
		{t.ratio, f.ratio, ratio(t.ratio)},
		{t.more, f.more, number(t.more) + f.suffix + " above"},
		{t.allocations, f.allocations, number(t.allocations) + " allocations"},
		{t.bytes, f.bytes, number(t.bytes) + " B"},
	}
	n := 0
	for _, b := range all {
		if b.most != 0 {
			all[n] = b
			n++
		}
	}
	return all[:n]
}

// cells returns the text of the target and whether it is met; both are empty where there is no target.
func (t target) cells(f figures) (text, met string) {
	var texts []string
	for _, b := range t.bounds(f) {
		texts = append(texts, b.text)
		switch {
		case b.is > b.most:
			met = "no"
		case met == "":
			met = "yes"
		}
	}
	return strings.Join(texts, ", "), met
}

func ratio(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) + " ×" }
