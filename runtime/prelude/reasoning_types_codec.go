// Code generated from spec/prelude/reasoning.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import (
	ggjsontext "github.com/go-json-experiment/json/jsontext"
	ggcodec "github.com/graphgen/graphgen/runtime/codec"
)

var critiqueJSON = ggcodec.Members{Type: "Critique", Names: []string{"severity", "issues"}}

// EncodeJSON writes the Critique as a JSON object.
func (v Critique) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.Between(0, 1).WriteFloat(v.Severity, e.Name("severity"))
	ggcodec.WriteList(v.Issues, e.Name("issues"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Critique from a JSON object.
func (v *Critique) DecodeJSON(d *ggcodec.Decoder) {
	*v = Critique{}
	o := ggcodec.ReadObject(d, &critiqueJSON)
	for o.Next() {
		switch o.Name {
		case "severity":
			ggcodec.Between(0, 1).ReadFloat(&v.Severity, d)
		case "issues":
			ggcodec.ReadList(&v.Issues, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Critique.
func (v Critique) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Critique) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Critique) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Critique) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Critique) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Critique",
  "description": "What is wrong with a text, and how bad that is.",
  "type": "object",
  "properties": {
    "severity": {
      "description": "From 0, nothing is wrong, to 1, it has to be written anew.",
      "type": "number",
      "minimum": 0,
      "maximum": 1
    },
    "issues": {
      "description": "One problem each",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["severity", "issues"],
  "additionalProperties": false
}`
}

// IsZero reports whether nothing of the Critique is set.
func (v Critique) IsZero() bool {
	return v.Severity == 0 && v.Issues == nil
}
