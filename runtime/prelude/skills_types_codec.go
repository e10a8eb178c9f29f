// Code generated from spec/prelude/skills.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import (
	ggjsontext "github.com/go-json-experiment/json/jsontext"
	ggcodec "github.com/graphgen/graphgen/runtime/codec"
)

var sourceJSON = ggcodec.Members{
	Type:     "Source",
	Names:    []string{"title", "at", "date"},
	Optional: []string{"date"},
}

// EncodeJSON writes the Source as a JSON object.
func (v Source) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Title, e.Name("title"))
	ggcodec.WriteString(v.At, e.Name("at"))
	if v.Date != nil {
		ggcodec.WriteString(*v.Date, e.Name("date"))
	}
	e.End()
}

// DecodeJSON reads the Source from a JSON object.
func (v *Source) DecodeJSON(d *ggcodec.Decoder) {
	*v = Source{}
	o := ggcodec.ReadObject(d, &sourceJSON)
	for o.Next() {
		switch o.Name {
		case "title":
			ggcodec.ReadString(&v.Title, d)
		case "at":
			ggcodec.ReadString(&v.At, d)
		case "date":
			ggcodec.ReadOptional(&v.Date, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Source.
func (v Source) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Source) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Source) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Source) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Source) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Source",
  "description": "Where a fact is from.",
  "type": "object",
  "properties": {
    "title": {
      "description": "What the source is called, with its author or publisher.",
      "type": "string"
    },
    "at": {
      "description": "Where it is: a URL, or a file and a line.",
      "type": "string"
    },
    "date": {
      "description": "When it was published, if that is known.",
      "type": ["string", "null"]
    }
  },
  "required": ["title", "at"],
  "additionalProperties": false
}`
}

var researchJSON = ggcodec.Members{
	Type:  "Research",
	Names: []string{"answer", "sources", "missing"},
}

// EncodeJSON writes the Research as a JSON object.
func (v Research) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Answer, e.Name("answer"))
	ggcodec.WriteList(v.Sources, e.Name("sources"), Source.EncodeJSON)
	ggcodec.WriteList(v.Missing, e.Name("missing"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Research from a JSON object.
func (v *Research) DecodeJSON(d *ggcodec.Decoder) {
	*v = Research{}
	o := ggcodec.ReadObject(d, &researchJSON)
	for o.Next() {
		switch o.Name {
		case "answer":
			ggcodec.ReadString(&v.Answer, d)
		case "sources":
			ggcodec.ReadList(&v.Sources, d, (*Source).DecodeJSON)
		case "missing":
			ggcodec.ReadList(&v.Missing, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Research.
func (v Research) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Research) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Research) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Research) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Research) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Research",
  "description": "What a search has brought to light.",
  "type": "object",
  "properties": {
    "answer": {
      "description": "The answer, with a mark [n] behind each fact for the n-th source.",
      "type": "string"
    },
    "sources": {
      "description": "The sources in the order of their marks.",
      "type": "array",
      "items": {
        "$ref": "#/$defs/Source"
      }
    },
    "missing": {
      "description": "What was searched for and not found, each with the search.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["answer", "sources", "missing"],
  "additionalProperties": false,
  "$defs": {
    "Source": {
      "title": "Source",
      "description": "Where a fact is from.",
      "type": "object",
      "properties": {
        "title": {
          "description": "What the source is called, with its author or publisher.",
          "type": "string"
        },
        "at": {
          "description": "Where it is: a URL, or a file and a line.",
          "type": "string"
        },
        "date": {
          "description": "When it was published, if that is known.",
          "type": ["string", "null"]
        }
      },
      "required": ["title", "at"],
      "additionalProperties": false
    }
  }
}`
}

var codeFindingJSON = ggcodec.Members{
	Type:  "CodeFinding",
	Names: []string{"place", "severity", "problem", "fix"},
}

// EncodeJSON writes the CodeFinding as a JSON object.
func (v CodeFinding) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Place, e.Name("place"))
	v.Severity.EncodeJSON(e.Name("severity"))
	ggcodec.WriteString(v.Problem, e.Name("problem"))
	ggcodec.WriteString(v.Fix, e.Name("fix"))
	e.End()
}

// DecodeJSON reads the CodeFinding from a JSON object.
func (v *CodeFinding) DecodeJSON(d *ggcodec.Decoder) {
	*v = CodeFinding{}
	o := ggcodec.ReadObject(d, &codeFindingJSON)
	for o.Next() {
		switch o.Name {
		case "place":
			ggcodec.ReadString(&v.Place, d)
		case "severity":
			v.Severity.DecodeJSON(d)
		case "problem":
			ggcodec.ReadString(&v.Problem, d)
		case "fix":
			ggcodec.ReadString(&v.Fix, d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the CodeFinding.
func (v CodeFinding) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *CodeFinding) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v CodeFinding) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *CodeFinding) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (CodeFinding) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "CodeFinding",
  "description": "A problem in code.",
  "type": "object",
  "properties": {
    "place": {
      "description": "The file and the line, or the function.",
      "type": "string"
    },
    "severity": {
      "description": "blocker: wrong or unsafe. major: costs time later. minor: worth a change on the way.",
      "$ref": "#/$defs/CodeFindingSeverity"
    },
    "problem": {
      "description": "What goes wrong, and on which input.",
      "type": "string"
    },
    "fix": {
      "description": "The smallest change that mends it.",
      "type": "string"
    }
  },
  "required": ["place", "severity", "problem", "fix"],
  "additionalProperties": false,
  "$defs": {
    "CodeFindingSeverity": {
      "title": "CodeFindingSeverity",
      "type": "string",
      "enum": ["blocker", "major", "minor"]
    }
  }
}`
}

var codeReviewJSON = ggcodec.Members{
	Type:  "CodeReview",
	Names: []string{"findings", "approved", "unseen"},
}

// EncodeJSON writes the CodeReview as a JSON object.
func (v CodeReview) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteList(v.Findings, e.Name("findings"), CodeFinding.EncodeJSON)
	ggcodec.WriteBool(v.Approved, e.Name("approved"))
	ggcodec.WriteList(v.Unseen, e.Name("unseen"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the CodeReview from a JSON object.
func (v *CodeReview) DecodeJSON(d *ggcodec.Decoder) {
	*v = CodeReview{}
	o := ggcodec.ReadObject(d, &codeReviewJSON)
	for o.Next() {
		switch o.Name {
		case "findings":
			ggcodec.ReadList(&v.Findings, d, (*CodeFinding).DecodeJSON)
		case "approved":
			ggcodec.ReadBool(&v.Approved, d)
		case "unseen":
			ggcodec.ReadList(&v.Unseen, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the CodeReview.
func (v CodeReview) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *CodeReview) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v CodeReview) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *CodeReview) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (CodeReview) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "CodeReview",
  "description": "What a review of code has found.",
  "type": "object",
  "properties": {
    "findings": {
      "description": "The problems with the worst first.",
      "type": "array",
      "items": {
        "$ref": "#/$defs/CodeFinding"
      }
    },
    "approved": {
      "description": "Whether the code can be merged as it is.",
      "type": "boolean"
    },
    "unseen": {
      "description": "What could not be judged, and what would be needed.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["findings", "approved", "unseen"],
  "additionalProperties": false,
  "$defs": {
    "CodeFinding": {
      "title": "CodeFinding",
      "description": "A problem in code.",
      "type": "object",
      "properties": {
        "place": {
          "description": "The file and the line, or the function.",
          "type": "string"
        },
        "severity": {
          "description": "blocker: wrong or unsafe. major: costs time later. minor: worth a change on the way.",
          "$ref": "#/$defs/CodeFindingSeverity"
        },
        "problem": {
          "description": "What goes wrong, and on which input.",
          "type": "string"
        },
        "fix": {
          "description": "The smallest change that mends it.",
          "type": "string"
        }
      },
      "required": ["place", "severity", "problem", "fix"],
      "additionalProperties": false
    },
    "CodeFindingSeverity": {
      "title": "CodeFindingSeverity",
      "type": "string",
      "enum": ["blocker", "major", "minor"]
    }
  }
}`
}

var analysisJSON = ggcodec.Members{
	Type:  "Analysis",
	Names: []string{"claims", "caveats", "missing"},
}

// EncodeJSON writes the Analysis as a JSON object.
func (v Analysis) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteList(v.Claims, e.Name("claims"), ggcodec.WriteString)
	ggcodec.WriteList(v.Caveats, e.Name("caveats"), ggcodec.WriteString)
	ggcodec.WriteList(v.Missing, e.Name("missing"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Analysis from a JSON object.
func (v *Analysis) DecodeJSON(d *ggcodec.Decoder) {
	*v = Analysis{}
	o := ggcodec.ReadObject(d, &analysisJSON)
	for o.Next() {
		switch o.Name {
		case "claims":
			ggcodec.ReadList(&v.Claims, d, ggcodec.ReadString)
		case "caveats":
			ggcodec.ReadList(&v.Caveats, d, ggcodec.ReadString)
		case "missing":
			ggcodec.ReadList(&v.Missing, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Analysis.
func (v Analysis) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Analysis) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Analysis) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Analysis) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Analysis) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Analysis",
  "description": "What data show.",
  "type": "object",
  "properties": {
    "claims": {
      "description": "One claim each, with the number, the unit, the size of the sample and how it was computed.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "caveats": {
      "description": "What limits the claims.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "missing": {
      "description": "Data that the question needs and that are not there.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["claims", "caveats", "missing"],
  "additionalProperties": false
}`
}

var claimJSON = ggcodec.Members{
	Type:  "Claim",
	Names: []string{"claim", "verdict", "evidence", "sources"},
}

// EncodeJSON writes the Claim as a JSON object.
func (v Claim) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Claim, e.Name("claim"))
	v.Verdict.EncodeJSON(e.Name("verdict"))
	ggcodec.WriteString(v.Evidence, e.Name("evidence"))
	ggcodec.WriteList(v.Sources, e.Name("sources"), Source.EncodeJSON)
	e.End()
}

// DecodeJSON reads the Claim from a JSON object.
func (v *Claim) DecodeJSON(d *ggcodec.Decoder) {
	*v = Claim{}
	o := ggcodec.ReadObject(d, &claimJSON)
	for o.Next() {
		switch o.Name {
		case "claim":
			ggcodec.ReadString(&v.Claim, d)
		case "verdict":
			v.Verdict.DecodeJSON(d)
		case "evidence":
			ggcodec.ReadString(&v.Evidence, d)
		case "sources":
			ggcodec.ReadList(&v.Sources, d, (*Source).DecodeJSON)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Claim.
func (v Claim) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Claim) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Claim) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Claim) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Claim) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Claim",
  "description": "A claim that was checked.",
  "type": "object",
  "properties": {
    "claim": {
      "description": "The claim, as the text has it.",
      "type": "string"
    },
    "verdict": {
      "description": "supported and refuted need a source. Else the claim is unverified.",
      "$ref": "#/$defs/ClaimVerdict"
    },
    "evidence": {
      "description": "What the verdict rests on.",
      "type": "string"
    },
    "sources": {
      "description": "Where the evidence is from.",
      "type": "array",
      "items": {
        "$ref": "#/$defs/Source"
      }
    }
  },
  "required": ["claim", "verdict", "evidence", "sources"],
  "additionalProperties": false,
  "$defs": {
    "ClaimVerdict": {
      "title": "ClaimVerdict",
      "type": "string",
      "enum": ["supported", "refuted", "unverified"]
    },
    "Source": {
      "title": "Source",
      "description": "Where a fact is from.",
      "type": "object",
      "properties": {
        "title": {
          "description": "What the source is called, with its author or publisher.",
          "type": "string"
        },
        "at": {
          "description": "Where it is: a URL, or a file and a line.",
          "type": "string"
        },
        "date": {
          "description": "When it was published, if that is known.",
          "type": ["string", "null"]
        }
      },
      "required": ["title", "at"],
      "additionalProperties": false
    }
  }
}`
}

var factCheckJSON = ggcodec.Members{Type: "FactCheck", Names: []string{"claims", "passes"}}

// EncodeJSON writes the FactCheck as a JSON object.
func (v FactCheck) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteList(v.Claims, e.Name("claims"), Claim.EncodeJSON)
	ggcodec.WriteBool(v.Passes, e.Name("passes"))
	e.End()
}

// DecodeJSON reads the FactCheck from a JSON object.
func (v *FactCheck) DecodeJSON(d *ggcodec.Decoder) {
	*v = FactCheck{}
	o := ggcodec.ReadObject(d, &factCheckJSON)
	for o.Next() {
		switch o.Name {
		case "claims":
			ggcodec.ReadList(&v.Claims, d, (*Claim).DecodeJSON)
		case "passes":
			ggcodec.ReadBool(&v.Passes, d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the FactCheck.
func (v FactCheck) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *FactCheck) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v FactCheck) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *FactCheck) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (FactCheck) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "FactCheck",
  "description": "What a check of facts has found.",
  "type": "object",
  "properties": {
    "claims": {
      "description": "Every claim that can be true or false.",
      "type": "array",
      "items": {
        "$ref": "#/$defs/Claim"
      }
    },
    "passes": {
      "description": "Whether no claim is refuted and none that matters is unverified.",
      "type": "boolean"
    }
  },
  "required": ["claims", "passes"],
  "additionalProperties": false,
  "$defs": {
    "Claim": {
      "title": "Claim",
      "description": "A claim that was checked.",
      "type": "object",
      "properties": {
        "claim": {
          "description": "The claim, as the text has it.",
          "type": "string"
        },
        "verdict": {
          "description": "supported and refuted need a source. Else the claim is unverified.",
          "$ref": "#/$defs/ClaimVerdict"
        },
        "evidence": {
          "description": "What the verdict rests on.",
          "type": "string"
        },
        "sources": {
          "description": "Where the evidence is from.",
          "type": "array",
          "items": {
            "$ref": "#/$defs/Source"
          }
        }
      },
      "required": ["claim", "verdict", "evidence", "sources"],
      "additionalProperties": false
    },
    "ClaimVerdict": {
      "title": "ClaimVerdict",
      "type": "string",
      "enum": ["supported", "refuted", "unverified"]
    },
    "Source": {
      "title": "Source",
      "description": "Where a fact is from.",
      "type": "object",
      "properties": {
        "title": {
          "description": "What the source is called, with its author or publisher.",
          "type": "string"
        },
        "at": {
          "description": "Where it is: a URL, or a file and a line.",
          "type": "string"
        },
        "date": {
          "description": "When it was published, if that is known.",
          "type": ["string", "null"]
        }
      },
      "required": ["title", "at"],
      "additionalProperties": false
    }
  }
}`
}

var summaryJSON = ggcodec.Members{
	Type:  "Summary",
	Names: []string{"summary", "points", "omitted"},
}

// EncodeJSON writes the Summary as a JSON object.
func (v Summary) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Summary, e.Name("summary"))
	ggcodec.WriteList(v.Points, e.Name("points"), ggcodec.WriteString)
	ggcodec.WriteList(v.Omitted, e.Name("omitted"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Summary from a JSON object.
func (v *Summary) DecodeJSON(d *ggcodec.Decoder) {
	*v = Summary{}
	o := ggcodec.ReadObject(d, &summaryJSON)
	for o.Next() {
		switch o.Name {
		case "summary":
			ggcodec.ReadString(&v.Summary, d)
		case "points":
			ggcodec.ReadList(&v.Points, d, ggcodec.ReadString)
		case "omitted":
			ggcodec.ReadList(&v.Omitted, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Summary.
func (v Summary) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Summary) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Summary) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Summary) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Summary) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Summary",
  "description": "A shorter text.",
  "type": "object",
  "properties": {
    "summary": {
      "description": "The summary.",
      "type": "string"
    },
    "points": {
      "description": "What the reader has to know, one sentence each.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "omitted": {
      "description": "What was left out and may matter to some readers.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["summary", "points", "omitted"],
  "additionalProperties": false
}`
}

var codeFindingSeverityJSON = ggcodec.Enum{
	Type:  "CodeFindingSeverity",
	Names: []string{"blocker", "major", "minor"},
}

// EncodeJSON writes the CodeFindingSeverity by its name. One that is not set is an error.
func (v CodeFindingSeverity) EncodeJSON(e *ggcodec.Encoder) {
	ggcodec.WriteEnum(v, e, &codeFindingSeverityJSON)
}

// DecodeJSON reads the CodeFindingSeverity by its name.
func (v *CodeFindingSeverity) DecodeJSON(d *ggcodec.Decoder) {
	ggcodec.ReadEnum(v, d, &codeFindingSeverityJSON)
}

// MarshalText and UnmarshalText give encoding/json the name of the CodeFindingSeverity.
func (v CodeFindingSeverity) MarshalText() ([]byte, error) {
	return ggcodec.EnumText(v, &codeFindingSeverityJSON)
}
func (v *CodeFindingSeverity) UnmarshalText(data []byte) error {
	return ggcodec.ReadEnumText(v, data, &codeFindingSeverityJSON)
}

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v CodeFindingSeverity) MarshalJSONTo(e *ggjsontext.Encoder) error {
	return ggcodec.MarshalTo(v, e)
}

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *CodeFindingSeverity) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (CodeFindingSeverity) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "CodeFindingSeverity",
  "type": "string",
  "enum": ["blocker", "major", "minor"]
}`
}

var claimVerdictJSON = ggcodec.Enum{
	Type:  "ClaimVerdict",
	Names: []string{"supported", "refuted", "unverified"},
}

// EncodeJSON writes the ClaimVerdict by its name. One that is not set is an error.
func (v ClaimVerdict) EncodeJSON(e *ggcodec.Encoder) { ggcodec.WriteEnum(v, e, &claimVerdictJSON) }

// DecodeJSON reads the ClaimVerdict by its name.
func (v *ClaimVerdict) DecodeJSON(d *ggcodec.Decoder) { ggcodec.ReadEnum(v, d, &claimVerdictJSON) }

// MarshalText and UnmarshalText give encoding/json the name of the ClaimVerdict.
func (v ClaimVerdict) MarshalText() ([]byte, error) { return ggcodec.EnumText(v, &claimVerdictJSON) }
func (v *ClaimVerdict) UnmarshalText(data []byte) error {
	return ggcodec.ReadEnumText(v, data, &claimVerdictJSON)
}

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v ClaimVerdict) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *ClaimVerdict) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (ClaimVerdict) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "ClaimVerdict",
  "type": "string",
  "enum": ["supported", "refuted", "unverified"]
}`
}

// IsZero reports whether nothing of the Source is set.
func (v Source) IsZero() bool {
	return v == Source{}
}

// IsZero reports whether nothing of the Research is set.
func (v Research) IsZero() bool {
	return v.Answer == "" && v.Sources == nil && v.Missing == nil
}

// IsZero reports whether nothing of the CodeFinding is set.
func (v CodeFinding) IsZero() bool {
	return v == CodeFinding{}
}

// IsZero reports whether nothing of the CodeReview is set.
func (v CodeReview) IsZero() bool {
	return v.Findings == nil && !v.Approved && v.Unseen == nil
}

// IsZero reports whether nothing of the Analysis is set.
func (v Analysis) IsZero() bool {
	return v.Claims == nil && v.Caveats == nil && v.Missing == nil
}

// IsZero reports whether nothing of the Claim is set.
func (v Claim) IsZero() bool {
	return v.Claim == "" && v.Verdict == 0 && v.Evidence == "" && v.Sources == nil
}

// IsZero reports whether nothing of the FactCheck is set.
func (v FactCheck) IsZero() bool {
	return v.Claims == nil && !v.Passes
}

// IsZero reports whether nothing of the Summary is set.
func (v Summary) IsZero() bool {
	return v.Summary == "" && v.Points == nil && v.Omitted == nil
}
