package plan

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Media is what the machine declares for its images, PDFs and audio.
type Media struct {
	Limits []MediaLimits
	Input  string                   // the function that checks the input; empty: it has no media
	Checks map[*resolve.Type]string // the functions that check the media in structs and unions
}

// MediaLimits are the limits of the media of a field, as a variable. A field that several types share
// has one.
type MediaLimits struct {
	Var   string
	Owner string // the Go type that has the field
	Field *resolve.Field
	Of    *resolve.Type // the kind
}

// LimitsOf returns the variable with the limits of the media of a field, empty if it has none.
func (m *Media) LimitsOf(f *spec.Field) string {
	for i := range m.Limits {
		if m.Limits[i].Field.Spec == f {
			return m.Limits[i].Var
		}
	}
	return ""
}

// mediaName returns the name of the variable with the limits of media.
func mediaName(t *resolve.Type, f *resolve.Field) string {
	return goname.Unexported(t.GoName) + f.GoName + "Media"
}

// findMediaLimits finds the limits of media in the types that the machine declares.
func (l *lowering) findMediaLimits() {
	m := l.m
	types := slices.Clone(m.Types.Declared)
	if m.Types.State != nil {
		types = append(types, m.Types.State)
	}
	for _, t := range m.Models.Tools {
		types = append(types, t.Args)
	}
	for _, t := range types {
		for _, f := range t.Fields {
			of := f.Type.AsMedia()
			if of != nil && f.Spec != nil && resolve.LimitsMedia(f.Spec) && m.Types.Media.LimitsOf(f.Spec) == "" {
				m.Types.Media.Limits = append(m.Types.Media.Limits, MediaLimits{l.name(mediaName(t, f)), t.GoName, f, of})
			}
		}
	}
}

// findMedia finds the functions that check media: in the input, in the output of each node, and in the
// structs and unions that these hold.
func (l *lowering) findMedia() {
	m := l.m
	l.findMediaLimits()
	if slices.ContainsFunc(m.Types.Input.Fields, func(f *resolve.Field) bool { return f.Type.HoldsMedia() }) {
		m.Types.Media.Input = l.name(m.Prefix + "CheckInputMedia")
		l.checkMedia(m.Types.Input)
	}
	for _, n := range m.Flow.Nodes {
		if n.Out == nil || n.Prompt() != nil || !slices.ContainsFunc(n.State.Writes, func(w Write) bool { return w.To.Type.HoldsMedia() }) {
			continue
		}
		n.Checks.Media = l.name(m.Prefix + "Check" + n.GoName + "Media")
		for _, w := range n.State.Writes {
			l.namesChecks(w.To.Type)
		}
	}
}

// checkMedia names the functions for what the fields of a struct hold.
func (l *lowering) checkMedia(t *resolve.Type) {
	for _, f := range t.Fields {
		l.namesChecks(f.Type)
	}
	for _, v := range t.Variants {
		l.namesChecks(v.Type)
	}
}

// namesChecks names the function that checks the media in values of a type, if it is a struct or a union
// that holds some.
func (l *lowering) namesChecks(t *resolve.Type) {
	t = named(t)
	if t.Kind != resolve.Struct && t.Kind != resolve.Union || l.m.Types.Media.Checks[t] != "" || !t.HoldsMedia() {
		return
	}
	if l.m.Types.Media.Checks == nil {
		l.m.Types.Media.Checks = map[*resolve.Type]string{}
	}
	l.m.Types.Media.Checks[t] = l.name(l.m.Prefix + "Check" + t.GoName + "Media")
	l.checkMedia(t)
}
