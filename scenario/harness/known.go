package harness

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Known is a type that the harness cannot derive from values.
type Known struct{ variant, opaque reflect.Type }

// Variant is a variant of unions.
func Variant[T any]() Known { return Known{variant: reflect.TypeFor[T]()} }

// Opaque is a Go type with its own codec methods, which define its values.
func Opaque[T any]() Known { return Known{opaque: reflect.TypeFor[T]()} }

// Knows adds types of the script's graph.
func (s *Script) Knows(types ...Known) { s.known = append(s.known, types...) }

// A vocabulary reads and writes values of the plan.
type vocabulary []Known

func (k vocabulary) isOpaque(t reflect.Type) bool {
	return slices.ContainsFunc(k, func(known Known) bool { return known.opaque == t })
}

// variant returns the variant of an interface type by name.
func (k vocabulary) variant(name string, of reflect.Type) reflect.Type {
	for _, known := range k {
		if t := known.variant; t != nil && t.Name() == name && t.Implements(of) {
			return t
		}
	}
	return nil
}

// decoder and encoder are the codec methods of opaque types.
type (
	decoder interface {
		UnmarshalJSONFrom(*jsontext.Decoder) error
	}
	encoder interface {
		MarshalJSONTo(*jsontext.Encoder) error
	}
)

var (
	instantType = reflect.TypeFor[time.Time]()
	rawType     = reflect.TypeFor[jsontext.Value]()
	bytesType   = reflect.TypeFor[[]byte]()
)

// setText sets a value that the plan has as text: an instant, bytes, JSON, an opaque value. It
// reports whether the type is one of these.
func (k vocabulary) setText(to reflect.Value, text string) (ok bool, err error) {
	switch {
	case to.Type() == instantType:
		at, err := time.Parse(time.RFC3339Nano, text)
		to.Set(reflect.ValueOf(at))
		return true, err
	case to.Type() == bytesType:
		data, err := base64.StdEncoding.DecodeString(text)
		to.SetBytes(data)
		return true, err
	case to.Type() == rawType:
		to.SetBytes([]byte(text))
		return true, nil
	case k.isOpaque(to.Type()):
		d, ok := to.Addr().Interface().(decoder)
		if !ok {
			return true, fmt.Errorf("%s has no method UnmarshalJSONFrom", to.Type())
		}
		return true, d.UnmarshalJSONFrom(jsontext.NewDecoder(strings.NewReader(text)))
	}
	return false, nil
}

// setVariant sets an interface to one of its variants: an object with the name of the variant as
// its only member.
func (k vocabulary) setVariant(to reflect.Value, v any) error {
	object, ok := v.(map[string]any)
	if !ok || len(object) != 1 {
		return fmt.Errorf("cannot make a %s of %v", to.Type(), v)
	}
	for name, fields := range object {
		t := k.variant(name, to.Type())
		if t == nil {
			return fmt.Errorf("%s has no variant %s", to.Type(), name)
		}
		one := reflect.New(t).Elem()
		if err := k.set(one, fields); err != nil {
			return err
		}
		to.Set(one)
	}
	return nil
}

// text returns the text of a value in the plan, and whether it has one.
func (k vocabulary) text(v reflect.Value) (text any, ok bool) {
	switch {
	case v.Type() == instantType:
		return v.Interface().(time.Time).UTC().Format(time.RFC3339Nano), true
	case v.Type() == bytesType:
		return base64.StdEncoding.EncodeToString(v.Bytes()), true
	case v.Type() == rawType:
		if v.IsNil() {
			return nil, true
		}
		return canonical(v.Bytes()), true
	case k.isOpaque(v.Type()):
		return opaqueText(v), true
	}
	return nil, false
}

// opaqueText returns the JSON of an opaque value, or the reason why it has none.
func opaqueText(v reflect.Value) string {
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	e, ok := copied.Interface().(encoder)
	if !ok {
		return fmt.Sprintf("%s has no method MarshalJSONTo", v.Type())
	}
	var b bytes.Buffer
	if err := e.MarshalJSONTo(jsontext.NewEncoder(&b)); err != nil {
		return err.Error()
	}
	return canonical(b.Bytes())
}

// canonical normalizes JSON: without white space, keys in order. It returns invalid JSON unchanged.
func canonical(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return string(text)
	}
	out, err := json.Marshal(tree)
	if err != nil {
		return string(text)
	}
	return string(out)
}
