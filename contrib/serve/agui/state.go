package agui

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/thread"
)

// A state is which fields the client knows: so each patch applies to what it has.
type state struct{ fields []string }

// snapshot returns fields as an object, which is all that the client knows from here on.
func (s *state) snapshot(values []thread.Value) json.RawMessage {
	s.fields = nil
	of := map[string]json.RawMessage{}
	for _, v := range values {
		s.fields = append(s.fields, v.Name)
		of[v.Name] = v.JSON
	}
	data, err := json.Marshal(of)
	if err != nil { // they were read from records
		return json.RawMessage("{}")
	}
	return data
}

// An operation is one of a patch (RFC 6902). Each adds: of a field that the client knows, that replaces its value.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

// patch returns what fields have become. Elements that were added to a list are added.
func (s *state) patch(values []thread.Value) (list []operation) {
	for _, v := range values {
		path := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(v.Name)
		var added []json.RawMessage
		known := slices.Contains(s.fields, v.Name)
		if !known {
			s.fields = append(s.fields, v.Name)
		}
		if !known || !v.Added || json.Unmarshal(v.JSON, &added) != nil {
			list = append(list, operation{"add", path, v.JSON})
			continue
		}
		for _, element := range added {
			list = append(list, operation{"add", path + "/-", element})
		}
	}
	return list
}
