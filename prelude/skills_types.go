// Code generated from spec/prelude/skills.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import (
	ggjsontext "github.com/go-json-experiment/json/jsontext"
	ggcodec "github.com/graphgen/graphgen/runtime/codec"
	ggengine "github.com/graphgen/graphgen/runtime/engine"
)

// Skills, nodes with instructions for work that many agents do.

// Where a fact is from.
type Source struct {
	// What the source is called, with its author or publisher.
	Title string
	// Where it is: a URL, or a file and a line.
	At string
	// When it was published, if that is known.
	Date *string
}

func (v *Source) JSONMembers(o *ggcodec.Object) {
	o.String("title", &v.Title)
	o.String("at", &v.At)
	ggcodec.OptionalMember(o, "date", &v.Date, ggcodec.ReadString, ggcodec.WriteString)
}
func (v Source) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Source) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Source") }
func (v Source) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Source) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Source) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Source) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Source) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Source", "description": "Where a fact is from.", "type": "object",
  "properties": {
    "title": {"description": "What the source is called, with its author or publisher.", "type": "string"},
    "at": {"description": "Where it is: a URL, or a file and a line.", "type": "string"},
    "date": {"description": "When it was published, if that is known.", "type": ["string", "null"]}
  },
  "required": ["title", "at"], "additionalProperties": false
}`
}
func (v Source) IsZero() bool { return v == Source{} }

// What a search has brought to light.
type Research struct {
	// The answer, with a mark [n] behind each fact for the n-th source.
	Answer string
	// The sources in the order of their marks.
	Sources []Source
	// What was searched for and not found, each with the search.
	Missing []string
}

func (v *Research) JSONMembers(o *ggcodec.Object) {
	o.String("answer", &v.Answer)
	ggcodec.ListOf(o, "sources", &v.Sources)
	o.Strings("missing", &v.Missing)
}
func (v Research) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Research) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Research") }
func (v Research) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Research) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Research) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Research) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Research) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Research", "description": "What a search has brought to light.",
  "type": "object",
  "properties": {
    "answer": {"description": "The answer, with a mark [n] behind each fact for the n-th source.", "type": "string"},
    "sources": {"description": "The sources in the order of their marks.", "type": "array", "items": {"$ref": "#/$defs/Source"}},
    "missing": {"description": "What was searched for and not found, each with the search.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["answer", "sources", "missing"], "additionalProperties": false,
  "$defs": {
    "Source": {
      "title": "Source",
      "description": "Where a fact is from.",
      "type": "object",
      "properties": {
        "title": {"description": "What the source is called, with its author or publisher.", "type": "string"},
        "at": {"description": "Where it is: a URL, or a file and a line.", "type": "string"},
        "date": {"description": "When it was published, if that is known.", "type": ["string", "null"]}
      },
      "required": ["title", "at"],
      "additionalProperties": false
    }
  }
}`
}
func (v Research) IsZero() bool { return v.Answer == "" && v.Sources == nil && v.Missing == nil }

// A problem in code.
type CodeFinding struct {
	// The file and the line, or the function.
	Place string
	// blocker: wrong or unsafe. major: costs time later. minor: worth a change on the way.
	Severity CodeFindingSeverity
	// What goes wrong, and on which input.
	Problem string
	// The smallest change that mends it.
	Fix string
}

func (v *CodeFinding) JSONMembers(o *ggcodec.Object) {
	o.String("place", &v.Place)
	o.Value("severity", &v.Severity)
	o.String("problem", &v.Problem)
	o.String("fix", &v.Fix)
}
func (v CodeFinding) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *CodeFinding) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "CodeFinding") }
func (v CodeFinding) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *CodeFinding) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v CodeFinding) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *CodeFinding) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (CodeFinding) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "CodeFinding", "description": "A problem in code.",
  "type": "object",
  "properties": {
    "place": {"description": "The file and the line, or the function.", "type": "string"},
    "severity": {
      "description": "blocker: wrong or unsafe. major: costs time later. minor: worth a change on the way.",
      "$ref": "#/$defs/CodeFindingSeverity"
    },
    "problem": {"description": "What goes wrong, and on which input.", "type": "string"},
    "fix": {"description": "The smallest change that mends it.", "type": "string"}
  },
  "required": ["place", "severity", "problem", "fix"], "additionalProperties": false,
  "$defs": {"CodeFindingSeverity": {"title": "CodeFindingSeverity", "type": "string", "enum": ["blocker", "major", "minor"]}}
}`
}
func (v CodeFinding) IsZero() bool { return v == CodeFinding{} }

// What a review of code has found.
type CodeReview struct {
	// The problems with the worst first.
	Findings []CodeFinding
	// Whether the code can be merged as it is.
	Approved bool
	// What could not be judged, and what would be needed.
	Unseen []string
}

func (v *CodeReview) JSONMembers(o *ggcodec.Object) {
	ggcodec.ListOf(o, "findings", &v.Findings)
	o.Bool("approved", &v.Approved)
	o.Strings("unseen", &v.Unseen)
}
func (v CodeReview) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *CodeReview) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "CodeReview") }
func (v CodeReview) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *CodeReview) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v CodeReview) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *CodeReview) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (CodeReview) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "CodeReview", "description": "What a review of code has found.",
  "type": "object",
  "properties": {
    "findings": {"description": "The problems with the worst first.", "type": "array", "items": {"$ref": "#/$defs/CodeFinding"}},
    "approved": {"description": "Whether the code can be merged as it is.", "type": "boolean"},
    "unseen": {"description": "What could not be judged, and what would be needed.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["findings", "approved", "unseen"], "additionalProperties": false,
  "$defs": {
    "CodeFinding": {
      "title": "CodeFinding",
      "description": "A problem in code.",
      "type": "object",
      "properties": {
        "place": {"description": "The file and the line, or the function.", "type": "string"},
        "severity": {
          "description": "blocker: wrong or unsafe. major: costs time later. minor: worth a change on the way.",
          "$ref": "#/$defs/CodeFindingSeverity"
        },
        "problem": {"description": "What goes wrong, and on which input.", "type": "string"},
        "fix": {"description": "The smallest change that mends it.", "type": "string"}
      },
      "required": ["place", "severity", "problem", "fix"],
      "additionalProperties": false
    },
    "CodeFindingSeverity": {"title": "CodeFindingSeverity", "type": "string", "enum": ["blocker", "major", "minor"]}
  }
}`
}
func (v CodeReview) IsZero() bool { return v.Findings == nil && !v.Approved && v.Unseen == nil }

// What data show.
type Analysis struct {
	// One claim each, with the number, the unit, the size of the sample and how it was computed.
	Claims []string
	// What limits the claims.
	Caveats []string
	// Data that the question needs and that are not there.
	Missing []string
}

func (v *Analysis) JSONMembers(o *ggcodec.Object) {
	o.Strings("claims", &v.Claims)
	o.Strings("caveats", &v.Caveats)
	o.Strings("missing", &v.Missing)
}
func (v Analysis) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Analysis) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Analysis") }
func (v Analysis) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Analysis) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Analysis) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Analysis) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Analysis) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Analysis", "description": "What data show.", "type": "object",
  "properties": {
    "claims": {
      "description": "One claim each, with the number, the unit, the size of the sample and how it was computed.",
      "type": "array",
      "items": {"type": "string"}
    },
    "caveats": {"description": "What limits the claims.", "type": "array", "items": {"type": "string"}},
    "missing": {"description": "Data that the question needs and that are not there.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["claims", "caveats", "missing"], "additionalProperties": false
}`
}
func (v Analysis) IsZero() bool { return v.Claims == nil && v.Caveats == nil && v.Missing == nil }

// A claim that was checked.
type Claim struct {
	// The claim, as the text has it.
	Claim string
	// supported and refuted need a source. Else the claim is unverified.
	Verdict ClaimVerdict
	// What the verdict rests on.
	Evidence string
	// Where the evidence is from.
	Sources []Source
}

func (v *Claim) JSONMembers(o *ggcodec.Object) {
	o.String("claim", &v.Claim)
	o.Value("verdict", &v.Verdict)
	o.String("evidence", &v.Evidence)
	ggcodec.ListOf(o, "sources", &v.Sources)
}
func (v Claim) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Claim) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Claim") }
func (v Claim) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Claim) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Claim) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Claim) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Claim) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Claim", "description": "A claim that was checked.",
  "type": "object",
  "properties": {
    "claim": {"description": "The claim, as the text has it.", "type": "string"},
    "verdict": {"description": "supported and refuted need a source. Else the claim is unverified.", "$ref": "#/$defs/ClaimVerdict"},
    "evidence": {"description": "What the verdict rests on.", "type": "string"},
    "sources": {"description": "Where the evidence is from.", "type": "array", "items": {"$ref": "#/$defs/Source"}}
  },
  "required": ["claim", "verdict", "evidence", "sources"], "additionalProperties": false,
  "$defs": {
    "ClaimVerdict": {"title": "ClaimVerdict", "type": "string", "enum": ["supported", "refuted", "unverified"]},
    "Source": {
      "title": "Source",
      "description": "Where a fact is from.",
      "type": "object",
      "properties": {
        "title": {"description": "What the source is called, with its author or publisher.", "type": "string"},
        "at": {"description": "Where it is: a URL, or a file and a line.", "type": "string"},
        "date": {"description": "When it was published, if that is known.", "type": ["string", "null"]}
      },
      "required": ["title", "at"],
      "additionalProperties": false
    }
  }
}`
}
func (v Claim) IsZero() bool {
	return v.Claim == "" && v.Verdict == 0 && v.Evidence == "" && v.Sources == nil
}

// What a check of facts has found.
type FactCheck struct {
	// Every claim that can be true or false.
	Claims []Claim
	// Whether no claim is refuted and none that matters is unverified.
	Passes bool
}

func (v *FactCheck) JSONMembers(o *ggcodec.Object) {
	ggcodec.ListOf(o, "claims", &v.Claims)
	o.Bool("passes", &v.Passes)
}
func (v FactCheck) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *FactCheck) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "FactCheck") }
func (v FactCheck) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *FactCheck) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v FactCheck) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *FactCheck) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (FactCheck) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "FactCheck", "description": "What a check of facts has found.",
  "type": "object",
  "properties": {
    "claims": {"description": "Every claim that can be true or false.", "type": "array", "items": {"$ref": "#/$defs/Claim"}},
    "passes": {"description": "Whether no claim is refuted and none that matters is unverified.", "type": "boolean"}
  },
  "required": ["claims", "passes"], "additionalProperties": false,
  "$defs": {
    "Claim": {
      "title": "Claim",
      "description": "A claim that was checked.",
      "type": "object",
      "properties": {
        "claim": {"description": "The claim, as the text has it.", "type": "string"},
        "verdict": {"description": "supported and refuted need a source. Else the claim is unverified.", "$ref": "#/$defs/ClaimVerdict"},
        "evidence": {"description": "What the verdict rests on.", "type": "string"},
        "sources": {"description": "Where the evidence is from.", "type": "array", "items": {"$ref": "#/$defs/Source"}}
      },
      "required": ["claim", "verdict", "evidence", "sources"],
      "additionalProperties": false
    },
    "ClaimVerdict": {"title": "ClaimVerdict", "type": "string", "enum": ["supported", "refuted", "unverified"]},
    "Source": {
      "title": "Source",
      "description": "Where a fact is from.",
      "type": "object",
      "properties": {
        "title": {"description": "What the source is called, with its author or publisher.", "type": "string"},
        "at": {"description": "Where it is: a URL, or a file and a line.", "type": "string"},
        "date": {"description": "When it was published, if that is known.", "type": ["string", "null"]}
      },
      "required": ["title", "at"],
      "additionalProperties": false
    }
  }
}`
}
func (v FactCheck) IsZero() bool { return v.Claims == nil && !v.Passes }

// A shorter text.
type Summary struct {
	// The summary.
	Summary string
	// What the reader has to know, one sentence each.
	Points []string
	// What was left out and may matter to some readers.
	Omitted []string
}

func (v *Summary) JSONMembers(o *ggcodec.Object) {
	o.String("summary", &v.Summary)
	o.Strings("points", &v.Points)
	o.Strings("omitted", &v.Omitted)
}
func (v Summary) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Summary) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Summary") }
func (v Summary) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Summary) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Summary) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Summary) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Summary) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Summary", "description": "A shorter text.", "type": "object",
  "properties": {
    "summary": {"description": "The summary.", "type": "string"},
    "points": {"description": "What the reader has to know, one sentence each.", "type": "array", "items": {"type": "string"}},
    "omitted": {"description": "What was left out and may matter to some readers.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["summary", "points", "omitted"], "additionalProperties": false
}`
}
func (v Summary) IsZero() bool { return v.Summary == "" && v.Points == nil && v.Omitted == nil }

// CodeFindingSeverity is the type of field severity of CodeFinding. The zero value is not set.
type CodeFindingSeverity uint8

const (
	CodeFindingSeverityBlocker CodeFindingSeverity = iota + 1
	CodeFindingSeverityMajor
	CodeFindingSeverityMinor
)

var codeFindingSeverityJSON = ggcodec.Enum{Type: "CodeFindingSeverity", Names: []string{"blocker", "major", "minor"}}

func (v CodeFindingSeverity) String() string { return ggengine.NameOf(v, "blocker", "major", "minor") }
func (v CodeFindingSeverity) EncodeJSON(e *ggcodec.Encoder) {
	ggcodec.WriteEnum(v, e, &codeFindingSeverityJSON)
}
func (v *CodeFindingSeverity) DecodeJSON(d *ggcodec.Decoder) {
	ggcodec.ReadEnum(v, d, &codeFindingSeverityJSON)
}
func (v CodeFindingSeverity) MarshalText() ([]byte, error) {
	return ggcodec.EnumText(v, &codeFindingSeverityJSON)
}
func (v *CodeFindingSeverity) UnmarshalText(b []byte) error {
	return ggcodec.ReadEnumText(v, b, &codeFindingSeverityJSON)
}
func (v CodeFindingSeverity) MarshalJSONTo(e *ggjsontext.Encoder) error {
	return ggcodec.MarshalTo(v, e)
}
func (v *CodeFindingSeverity) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (CodeFindingSeverity) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "CodeFindingSeverity", "type": "string",
  "enum": ["blocker", "major", "minor"]
}`
}

// ClaimVerdict is the type of field verdict of Claim. The zero value is not set.
type ClaimVerdict uint8

const (
	ClaimVerdictSupported ClaimVerdict = iota + 1
	ClaimVerdictRefuted
	ClaimVerdictUnverified
)

var claimVerdictJSON = ggcodec.Enum{Type: "ClaimVerdict", Names: []string{"supported", "refuted", "unverified"}}

func (v ClaimVerdict) String() string {
	return ggengine.NameOf(v, "supported", "refuted", "unverified")
}
func (v ClaimVerdict) EncodeJSON(e *ggcodec.Encoder)  { ggcodec.WriteEnum(v, e, &claimVerdictJSON) }
func (v *ClaimVerdict) DecodeJSON(d *ggcodec.Decoder) { ggcodec.ReadEnum(v, d, &claimVerdictJSON) }
func (v ClaimVerdict) MarshalText() ([]byte, error)   { return ggcodec.EnumText(v, &claimVerdictJSON) }
func (v *ClaimVerdict) UnmarshalText(b []byte) error {
	return ggcodec.ReadEnumText(v, b, &claimVerdictJSON)
}
func (v ClaimVerdict) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *ClaimVerdict) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (ClaimVerdict) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ClaimVerdict", "type": "string",
  "enum": ["supported", "refuted", "unverified"]
}`
}
