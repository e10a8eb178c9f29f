package resolve

import "github.com/graphgen/graphgen/spec"

// AsMedia returns the kind of media that a value of the type is or has as elements: of an image, of a
// list or map of images, of one that may be absent. It is nil for other types.
func (t *Type) AsMedia() *Type {
	for t.Elem != nil {
		t = t.Elem
	}
	if t.Kind == Media {
		return t
	}
	return nil
}

// HoldsMedia reports whether values of the type are media, or hold some.
func (t *Type) HoldsMedia() bool { return t.MediaAt() != "" }

// MediaAt returns the path to media in values of the type, as in photo or pages[].scan. It is a dot
// for media itself, and empty without media.
func (t *Type) MediaAt() string { return mediaAt(t, map[*Type]bool{}) }

func mediaAt(t *Type, seen map[*Type]bool) string {
	list := ""
	for t.Elem != nil {
		if t.Kind != Optional {
			list += "[]"
		}
		t = t.Elem
	}
	switch {
	case t.Kind == Media && list != "":
		return list
	case t.Kind == Media:
		return "."
	case seen[t]:
		return ""
	}
	seen[t] = true
	for _, f := range t.Fields {
		if at := below(f.Name, mediaAt(f.Type, seen)); at != "" {
			return list + at
		}
	}
	for _, v := range t.Variants {
		if at := mediaAt(v.Type, seen); at != "" {
			return list + at
		}
	}
	return ""
}

// below returns the path in a field.
func below(field, at string) string {
	switch {
	case at == "":
		return ""
	case at == ".":
		return field
	case at[0] == '[':
		return field + at
	}
	return field + "." + at
}

// LimitsMedia reports whether a field has limits of media.
func LimitsMedia(f *spec.Field) bool { return f.MaxBytes.IsSet() || len(f.Media) > 0 }
