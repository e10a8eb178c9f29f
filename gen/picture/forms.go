package picture

import (
	"math"

	"github.com/graphgen/graphgen/spec"
)

// A form is the outline of nodes: kinds of node differ by form and icon, so that colour adds nothing. The upper and the lower side are
// straight except for the inset at both ends, where lines may begin and end.
type form struct {
	inset float64
	draw  func(d *pathText, x, y, w, h float64)
	dent  func(dy, h float64) float64 // how far the right side stands back, at dy from the middle
}

var (
	plainForm  = form{8, func(d *pathText, x, y, w, h float64) { d.rounded(x, y, w, h, 3) }, flat}
	regionForm = form{14, func(d *pathText, x, y, w, h float64) { d.rounded(x, y, w, h, 10) }, flat}
	modelForm  = form{16, func(d *pathText, x, y, w, h float64) { d.rounded(x, y, w, h, 16) }, func(dy, h float64) float64 { return arc(dy, h, 16) }}
	doubleForm = form{10, func(d *pathText, x, y, w, h float64) {
		d.rounded(x, y, w, h, 4)
		d.polygon(x+3.5, y+3.5, x+w-3.5, y+3.5, x+w-3.5, y+h-3.5, x+3.5, y+h-3.5)
	}, flat}
	choiceForm = form{12, func(d *pathText, x, y, w, h float64) {
		d.polygon(x+11, y, x+w-11, y, x+w, y+h/2, x+w-11, y+h, x+11, y+h, x, y+h/2)
	}, func(dy, h float64) float64 { return float64(11 * math.Abs(dy) / (h / 2)) }}
	personForm = form{12, func(d *pathText, x, y, w, h float64) {
		d.polygon(x+9, y, x+w-9, y, x+w, y+9, x+w, y+h-9, x+w-9, y+h, x+9, y+h, x, y+h-9, x, y+9)
	}, func(dy, h float64) float64 { return max(0, math.Abs(dy)-(h/2-9)) }}
	judgeForm = form{15, func(d *pathText, x, y, w, h float64) {
		d.polygon(x, y, x+w, y, x+w, y+h-14, x+w-14, y+h, x+14, y+h, x, y+h-14)
	}, func(dy, h float64) float64 { return max(0, dy-(h/2-14)) }}
	slantForm = form{11, func(d *pathText, x, y, w, h float64) {
		d.polygon(x+9, y, x+w, y, x+w-9, y+h, x, y+h)
	}, func(dy, h float64) float64 { return float64(9 * (dy + h/2) / h) }}
	toolForm = form{9, func(d *pathText, x, y, w, h float64) {
		d.rounded(x, y, w, h, 3)
		d.line(x+5, y, x+5, y+h)
		d.line(x+w-5, y, x+w-5, y+h)
	}, flat}
	speechForm = form{15, func(d *pathText, x, y, w, h float64) {
		d.polygon(x+7, y, x+w, y, x+w, y+h, x+7, y+h, x+7, y+h/2+7, x, y+h/2, x+7, y+h/2-7)
	}, flat}
)

// workForms are the forms of nodes by what does their work.
var workForms = map[spec.By]*form{
	spec.ByModel: &modelForm, spec.ByTool: &toolForm, spec.ByPerson: &personForm, spec.ByGraph: &doubleForm, spec.ByNodes: &doubleForm,
}

// formOf returns the form of a box.
func formOf(b *Box) *form {
	k := b.Kind
	switch {
	case b.Region || k == nil:
		return &regionForm
	case workForms[k.By] != nil:
		return workForms[k.By]
	case k.Judges:
		return &judgeForm
	case k.Chooses:
		return &choiceForm
	case k.Sends:
		return &speechForm
	case k.Pure:
		return &slantForm
	}
	return &plainForm
}

func flat(float64, float64) float64 { return 0 }

// arc returns how much a rounded corner cuts off.
func arc(dy, h, r float64) float64 {
	over := math.Abs(dy) - (h/2 - r)
	if over <= 0 {
		return 0
	}
	return r - math.Sqrt(max(0, float64(r*r)-float64(over*over)))
}

// icons are drawn on a field of 16 by 16, by the name of the kind.
var icons = map[string]string{
	"func": "M6 2.5C4 2.5 4.5 5 4.3 6.5C4.2 7.5 3.4 8 2.6 8C3.4 8 4.2 8.5 4.3 9.5C4.5 11 4 13.5 6 13.5" +
		"M10 2.5C12 2.5 11.5 5 11.7 6.5C11.8 7.5 12.6 8 13.4 8C12.6 8 11.8 8.5 11.7 9.5C11.5 11 12 13.5 10 13.5",
	"prompt":     "M8 1.8L9.6 6.4L14.2 8L9.6 9.6L8 14.2L6.4 9.6L1.8 8L6.4 6.4Z",
	"router":     "M2 8H6M6 8L11.5 3.5M6 8L11.5 12.5M9 3H12V6M9 13H12V10",
	"human":      "M5 4.7A3 3 0 1 0 11 4.7A3 3 0 1 0 5 4.7ZM2.6 14C2.8 10.9 5 9.6 8 9.6C11 9.6 13.2 10.9 13.4 14",
	"tool":       "M9 1.8L3.5 9H7.5L6.8 14.2L12.5 6.8H8.4Z",
	"guard":      "M8 1.8L13 3.6V8C13 11 10.8 13.2 8 14.2C5.2 13.2 3 11 3 8V3.6ZM5.8 7.8L7.4 9.4L10.4 6.2",
	"set":        "M3 6H13M3 10H13",
	"transform":  "M2.5 5H12M9.5 2.5L12 5L9.5 7.5M13.5 11H4M6.5 8.5L4 11L6.5 13.5",
	"pass":       "M2.5 8H13M9.5 4.5L13 8L9.5 11.5",
	"say":        "M2.5 3H13.5V10.5H7L4 13.5V10.5H2.5Z",
	"subgraph":   "M2.5 2.5H10V10H2.5ZM6 13.5H13.5V6",
	"parallel":   "M3.5 2.5V13.5M8 2.5V13.5M12.5 2.5V13.5",
	"map":        "M2.5 5.5H10.5V13.5H2.5ZM5.5 2.5H13.5V10.5",
	"loop":       "M13 8A5 5 0 1 1 11.2 4.2M13.2 1.8V5H10",
	"retry":      "M3 8A5 5 0 1 0 4.8 4.2M2.8 1.8V5H6M8 5.5V8.6M8 10.6V11",
	"autonomous": "M3 3H5V5H3ZM11 3H13V5H11ZM3 11H5V13H3ZM11 11H13V13H11ZM8 6.2L9.8 8L8 9.8L6.2 8Z",
}

// Icon returns the path of the icon of a kind of node, on a field of 16 by 16.
func Icon(k *spec.Kind) string { return icons[k.Name] }

// addIcon is the icon of the box of templates.
const addIcon = "M8 3V13M3 8H13"
