package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/graphgen/graphgen/scenario/wire"
)

// decode stores a value of the plan in the value that to points to. An empty value changes nothing,
// and missing fields of a struct are unchanged.
func (k vocabulary) decode(v wire.Value, to any) error {
	if to != nil && reflect.ValueOf(to).Elem().IsZero() { // it is not the state, which a handler may change
		fillMedia(reflect.ValueOf(to).Elem())
	}
	if len(v) == 0 || to == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return err
	}
	return k.set(reflect.ValueOf(to).Elem(), tree)
}

func (k vocabulary) set(to reflect.Value, v any) error {
	switch v := v.(type) {
	case nil:
		to.SetZero()
		return nil
	case string:
		if ok, err := k.setText(to, v); ok {
			return err
		}
		switch to.Kind() {
		case reflect.String:
			to.SetString(v)
			return nil
		case reflect.Float64:
			f, err := strconv.ParseFloat(v, 64)
			to.SetFloat(f)
			return err
		}
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(v)
			return nil
		}
	}
	switch to.Kind() {
	case reflect.Interface:
		return k.setVariant(to, v)
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return k.set(to.Elem(), v)
	case reflect.Struct:
		return k.setStruct(to, v)
	case reflect.Slice:
		return k.setSlice(to, v)
	case reflect.Map:
		return k.setMap(to, v)
	}
	if n, ok := v.(json.Number); ok {
		return setNumber(to, n)
	}
	return fmt.Errorf("cannot make a %s of %v", to.Type(), v)
}

func setNumber(to reflect.Value, n json.Number) error {
	switch to.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(n.String(), 10, to.Type().Bits())
		to.SetInt(i)
		return err
	case reflect.Float64:
		f, err := n.Float64()
		to.SetFloat(f)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		u, err := strconv.ParseUint(n.String(), 10, to.Type().Bits())
		to.SetUint(u)
		return err
	}
	return fmt.Errorf("cannot make a %s of the number %s", to.Type(), n)
}

func (k vocabulary) setStruct(to reflect.Value, v any) error {
	fields, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("cannot make a %s of %v", to.Type(), v)
	}
	for name, value := range fields {
		f := to.FieldByName(name)
		if !f.IsValid() {
			return fmt.Errorf("%s has no field %s", to.Type(), name)
		}
		if err := k.set(f, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (k vocabulary) setSlice(to reflect.Value, v any) error {
	items, ok := v.([]any)
	if !ok {
		return fmt.Errorf("cannot make a %s of %v", to.Type(), v)
	}
	to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
	for i, item := range items {
		if err := k.set(to.Index(i), item); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

func (k vocabulary) setMap(to reflect.Value, v any) error {
	entries, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("cannot make a %s of %v", to.Type(), v)
	}
	to.Set(reflect.MakeMapWithSize(to.Type(), len(entries)))
	for key, value := range entries {
		elem := reflect.New(to.Type().Elem()).Elem()
		if err := k.set(elem, value); err != nil {
			return fmt.Errorf("[%q]: %w", key, err)
		}
		to.SetMapIndex(reflect.ValueOf(key), elem)
	}
	return nil
}

// encode returns the value of the plan for the value that v points to.
func (k vocabulary) encode(v any) wire.Value {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(k.tree(reflect.ValueOf(v).Elem()))
	if err != nil {
		panic(err) // a tree can always be encoded
	}
	return text
}

func (k vocabulary) tree(v reflect.Value) any {
	if text, ok := k.text(v); ok {
		return text
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return map[string]any{v.Elem().Type().Name(): k.tree(v.Elem())}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return k.tree(v.Elem())
	case reflect.Struct:
		fields := make(map[string]any, v.NumField())
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fields[f.Name] = k.tree(v.Field(i))
			}
		}
		return fields
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = k.tree(v.Index(i))
		}
		return items
	case reflect.Map:
		entries := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			entries[key.String()] = k.tree(v.MapIndex(key))
		}
		return entries
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	return plain(v)
}

// plain returns a scalar without its named type, whose String method must not affect JSON.
func plain(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	}
	return v.String()
}
