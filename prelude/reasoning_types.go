// Code generated from spec/prelude/reasoning.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import (
	ggjsontext "github.com/go-json-experiment/json/jsontext"
	ggcodec "github.com/graphgen/graphgen/runtime/codec"
	ggengine "github.com/graphgen/graphgen/runtime/engine"
)

// The ten reasoning nodes, and the types of what they write.

// What has to be reached, step by step, and how good that plan is.
type Plan struct {
	// What has to be reached, in this order, each so that one can see whether it is reached.
	Subgoals []string // length 1 to 12
	// The subgoals of the plan before that are reached, in its words.
	Done []string
	// The subgoal to work on next.
	Active string
	// How likely the plan is to reach the goal, from 1, hardly, to 5, surely.
	Quality int // 1 to 5
}

func (v *Plan) JSONMembers(o *ggcodec.Object) {
	ggcodec.ListMember(o, "subgoals", &v.Subgoals, ggcodec.ReadString, ggcodec.WriteString, ggcodec.LengthBetween(1, 12))
	o.Strings("done", &v.Done)
	o.String("active", &v.Active)
	ggcodec.Member(o, "quality", &v.Quality, ggcodec.Between(1, 5).ReadInt, ggcodec.Between(1, 5).WriteInt)
}
func (v Plan) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Plan) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Plan") }
func (v Plan) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Plan) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Plan) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Plan) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Plan) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Plan",
  "description": "What has to be reached, step by step, and how good that plan is.", "type": "object",
  "properties": {
    "subgoals": {
      "description": "What has to be reached, in this order, each so that one can see whether it is reached.",
      "type": "array",
      "items": {"type": "string"},
      "minItems": 1,
      "maxItems": 12
    },
    "done": {
      "description": "The subgoals of the plan before that are reached, in its words.",
      "type": "array",
      "items": {"type": "string"}
    },
    "active": {"description": "The subgoal to work on next.", "type": "string"},
    "quality": {
      "description": "How likely the plan is to reach the goal, from 1, hardly, to 5, surely.",
      "type": "integer",
      "minimum": 1,
      "maximum": 5
    }
  },
  "required": ["subgoals", "done", "active", "quality"], "additionalProperties": false
}`
}
func (v Plan) IsZero() bool {
	return v.Subgoals == nil && v.Done == nil && v.Active == "" && v.Quality == 0
}

// What is known so far, and what is missing.
type Thought struct {
	// What is not known and would change the answer, one thing each.
	Gaps []string
	// How sure an answer would be that is given at this point.
	Confidence float64 // 0 to 1
	// What to do next.
	Recommendation string
}

func (v *Thought) JSONMembers(o *ggcodec.Object) {
	o.Strings("gaps", &v.Gaps)
	ggcodec.Member(o, "confidence", &v.Confidence, ggcodec.Between(0, 1).ReadFloat, ggcodec.Between(0, 1).WriteFloat)
	o.String("recommendation", &v.Recommendation)
}
func (v Thought) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Thought) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Thought") }
func (v Thought) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Thought) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Thought) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Thought) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Thought) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Thought",
  "description": "What is known so far, and what is missing.", "type": "object",
  "properties": {
    "gaps": {"description": "What is not known and would change the answer, one thing each.", "type": "array", "items": {"type": "string"}},
    "confidence": {"description": "How sure an answer would be that is given at this point.", "type": "number", "minimum": 0, "maximum": 1},
    "recommendation": {"description": "What to do next.", "type": "string"}
  },
  "required": ["gaps", "confidence", "recommendation"], "additionalProperties": false
}`
}
func (v Thought) IsZero() bool { return v.Gaps == nil && v.Confidence == 0 && v.Recommendation == "" }

// What results of tools show.
type Observation struct {
	// What the results show, one fact each, with its source.
	Facts []string
	// What contradicts what was expected or known before.
	Surprises []string
	// The subgoals that are reached by these results, in the words of the plan.
	Done []string
}

func (v *Observation) JSONMembers(o *ggcodec.Object) {
	o.Strings("facts", &v.Facts)
	o.Strings("surprises", &v.Surprises)
	o.Strings("done", &v.Done)
}
func (v Observation) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *Observation) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "Observation") }
func (v Observation) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *Observation) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v Observation) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *Observation) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (Observation) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Observation", "description": "What results of tools show.",
  "type": "object",
  "properties": {
    "facts": {"description": "What the results show, one fact each, with its source.", "type": "array", "items": {"type": "string"}},
    "surprises": {"description": "What contradicts what was expected or known before.", "type": "array", "items": {"type": "string"}},
    "done": {
      "description": "The subgoals that are reached by these results, in the words of the plan.",
      "type": "array",
      "items": {"type": "string"}
    }
  },
  "required": ["facts", "surprises", "done"], "additionalProperties": false
}`
}
func (v Observation) IsZero() bool { return v.Facts == nil && v.Surprises == nil && v.Done == nil }

// How the work goes, and how it goes on.
type Reflection struct {
	// What has been reached.
	Progress string
	// What went wrong, if anything did.
	Mistake *string
	// What to do in another way from here on.
	Correction *string
	// How sure an answer would be that is given at this point.
	Confidence float64 // 0 to 1
	// The subgoals that are reached, in the words of the plan.
	Done []string
	// answer: enough is known. continue: the plan holds, and work is left. replan: the plan does not lead to the goal.
	Verdict Verdict
}

func (v *Reflection) JSONMembers(o *ggcodec.Object) {
	o.String("progress", &v.Progress)
	ggcodec.OptionalMember(o, "mistake", &v.Mistake, ggcodec.ReadString, ggcodec.WriteString)
	ggcodec.OptionalMember(o, "correction", &v.Correction, ggcodec.ReadString, ggcodec.WriteString)
	ggcodec.Member(o, "confidence", &v.Confidence, ggcodec.Between(0, 1).ReadFloat, ggcodec.Between(0, 1).WriteFloat)
	o.Strings("done", &v.Done)
	o.Value("verdict", &v.Verdict)
}
func (v Reflection) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *Reflection) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "Reflection") }
func (v Reflection) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *Reflection) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v Reflection) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *Reflection) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (Reflection) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Reflection",
  "description": "How the work goes, and how it goes on.", "type": "object",
  "properties": {
    "progress": {"description": "What has been reached.", "type": "string"},
    "mistake": {"description": "What went wrong, if anything did.", "type": ["string", "null"]},
    "correction": {"description": "What to do in another way from here on.", "type": ["string", "null"]},
    "confidence": {"description": "How sure an answer would be that is given at this point.", "type": "number", "minimum": 0, "maximum": 1},
    "done": {"description": "The subgoals that are reached, in the words of the plan.", "type": "array", "items": {"type": "string"}},
    "verdict": {
      "description": "answer: enough is known. continue: the plan holds, and work is left. replan: the plan does not lead to the goal.",
      "$ref": "#/$defs/Verdict"
    }
  },
  "required": ["progress", "confidence", "done", "verdict"], "additionalProperties": false,
  "$defs": {
    "Verdict": {
      "title": "Verdict",
      "description": "How a run goes on after a reflection.",
      "type": "string",
      "enum": ["answer", "continue", "replan"]
    }
  }
}`
}
func (v Reflection) IsZero() bool {
	return v.Progress == "" && v.Mistake == nil && v.Correction == nil && v.Confidence == 0 &&
		v.Done == nil && v.Verdict == 0
}

// How a run goes on after a reflection. The zero value is not set.
type Verdict uint8

const (
	VerdictAnswer Verdict = iota + 1
	VerdictContinue
	VerdictReplan
)

var verdictJSON = ggcodec.Enum{Type: "Verdict", Names: []string{"answer", "continue", "replan"}}

func (v Verdict) String() string                                 { return ggengine.NameOf(v, "answer", "continue", "replan") }
func (v Verdict) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteEnum(v, e, &verdictJSON) }
func (v *Verdict) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadEnum(v, d, &verdictJSON) }
func (v Verdict) MarshalText() ([]byte, error)                   { return ggcodec.EnumText(v, &verdictJSON) }
func (v *Verdict) UnmarshalText(b []byte) error                  { return ggcodec.ReadEnumText(v, b, &verdictJSON) }
func (v Verdict) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Verdict) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Verdict) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Verdict", "description": "How a run goes on after a reflection.",
  "type": "string", "enum": ["answer", "continue", "replan"]
}`
}

// What is wrong with a text, and how bad that is.
type Critique struct {
	// From 0, nothing is wrong, to 1, it has to be written anew.
	Severity float64 // 0 to 1
	// One problem each, with what would mend it.
	Issues []string
}

func (v *Critique) JSONMembers(o *ggcodec.Object) {
	ggcodec.Member(o, "severity", &v.Severity, ggcodec.Between(0, 1).ReadFloat, ggcodec.Between(0, 1).WriteFloat)
	o.Strings("issues", &v.Issues)
}
func (v Critique) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Critique) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Critique") }
func (v Critique) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Critique) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Critique) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Critique) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Critique) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Critique",
  "description": "What is wrong with a text, and how bad that is.", "type": "object",
  "properties": {
    "severity": {"description": "From 0, nothing is wrong, to 1, it has to be written anew.", "type": "number", "minimum": 0, "maximum": 1},
    "issues": {"description": "One problem each, with what would mend it.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["severity", "issues"], "additionalProperties": false
}`
}
func (v Critique) IsZero() bool { return v.Severity == 0 && v.Issues == nil }

// Why a decision was taken, for those who check it later.
type Justification struct {
	// What was decided, in one sentence.
	Decision string
	// What the decision rests on, one point each, with its source.
	Evidence []string
	// What was decided against, each with the reason.
	Alternatives []string
	// What would change the decision if it came out otherwise.
	Doubts []string
}

func (v *Justification) JSONMembers(o *ggcodec.Object) {
	o.String("decision", &v.Decision)
	o.Strings("evidence", &v.Evidence)
	o.Strings("alternatives", &v.Alternatives)
	o.Strings("doubts", &v.Doubts)
}
func (v Justification) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *Justification) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "Justification") }
func (v Justification) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *Justification) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v Justification) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *Justification) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (Justification) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Justification",
  "description": "Why a decision was taken, for those who check it later.", "type": "object",
  "properties": {
    "decision": {"description": "What was decided, in one sentence.", "type": "string"},
    "evidence": {
      "description": "What the decision rests on, one point each, with its source.",
      "type": "array",
      "items": {"type": "string"}
    },
    "alternatives": {"description": "What was decided against, each with the reason.", "type": "array", "items": {"type": "string"}},
    "doubts": {"description": "What would change the decision if it came out otherwise.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["decision", "evidence", "alternatives", "doubts"], "additionalProperties": false
}`
}
func (v Justification) IsZero() bool {
	return v.Decision == "" && v.Evidence == nil && v.Alternatives == nil && v.Doubts == nil
}

// The answer that is made of all findings.
type Synthesis struct {
	// The answer, as the reader gets it.
	Answer string // length at least 1
	// What the answer rests on.
	Sources []string
	// What stays open, and why.
	Open []string
}

var synthesisAnswerText = ggcodec.Text{Length: ggcodec.MinLength(1)}

func (v *Synthesis) JSONMembers(o *ggcodec.Object) {
	ggcodec.Member(o, "answer", &v.Answer, synthesisAnswerText.ReadString, synthesisAnswerText.WriteString)
	o.Strings("sources", &v.Sources)
	o.Strings("open", &v.Open)
}
func (v Synthesis) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *Synthesis) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "Synthesis") }
func (v Synthesis) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *Synthesis) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v Synthesis) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *Synthesis) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (Synthesis) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Synthesis",
  "description": "The answer that is made of all findings.", "type": "object",
  "properties": {
    "answer": {"description": "The answer, as the reader gets it.", "type": "string", "minLength": 1},
    "sources": {"description": "What the answer rests on.", "type": "array", "items": {"type": "string"}},
    "open": {"description": "What stays open, and why.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["answer", "sources", "open"], "additionalProperties": false
}`
}
func (v Synthesis) IsZero() bool { return v.Answer == "" && v.Sources == nil && v.Open == nil }

// Whether a text does what it has to do.
type Validation struct {
	// Whether every requirement is met.
	Passes bool
	// The requirements that are not met, each with what is missing.
	Issues []string
}

func (v *Validation) JSONMembers(o *ggcodec.Object) {
	o.Bool("passes", &v.Passes)
	o.Strings("issues", &v.Issues)
}
func (v Validation) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *Validation) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "Validation") }
func (v Validation) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *Validation) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v Validation) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *Validation) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (Validation) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Validation",
  "description": "Whether a text does what it has to do.", "type": "object",
  "properties": {
    "passes": {"description": "Whether every requirement is met.", "type": "boolean"},
    "issues": {
      "description": "The requirements that are not met, each with what is missing.",
      "type": "array",
      "items": {"type": "string"}
    }
  },
  "required": ["passes", "issues"], "additionalProperties": false
}`
}
func (v Validation) IsZero() bool { return !v.Passes && v.Issues == nil }

// The answer to a question that is a part of another.
type Finding struct {
	// The question, as it was asked.
	Question string
	// The answer, in a few sentences.
	Answer string
	// How sure the answer is.
	Confidence float64 // 0 to 1
}

func (v *Finding) JSONMembers(o *ggcodec.Object) {
	o.String("question", &v.Question)
	o.String("answer", &v.Answer)
	ggcodec.Member(o, "confidence", &v.Confidence, ggcodec.Between(0, 1).ReadFloat, ggcodec.Between(0, 1).WriteFloat)
}
func (v Finding) EncodeJSON(e *ggcodec.Encoder)                  { ggcodec.WriteStruct(&v, e) }
func (v *Finding) DecodeJSON(d *ggcodec.Decoder)                 { ggcodec.ReadStruct(v, d, "Finding") }
func (v Finding) MarshalJSON() ([]byte, error)                   { return ggcodec.Marshal(v) }
func (v *Finding) UnmarshalJSON(b []byte) error                  { return ggcodec.Unmarshal(b, v) }
func (v Finding) MarshalJSONTo(e *ggjsontext.Encoder) error      { return ggcodec.MarshalTo(v, e) }
func (v *Finding) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }
func (Finding) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Finding",
  "description": "The answer to a question that is a part of another.", "type": "object",
  "properties": {
    "question": {"description": "The question, as it was asked.", "type": "string"},
    "answer": {"description": "The answer, in a few sentences.", "type": "string"},
    "confidence": {"description": "How sure the answer is.", "type": "number", "minimum": 0, "maximum": 1}
  },
  "required": ["question", "answer", "confidence"], "additionalProperties": false
}`
}
func (v Finding) IsZero() bool { return v == Finding{} }

// Questions that are asked at once.
type Questions struct {
	// The questions, each of which can be answered without the others.
	Questions []string // length 1 to 8
}

func (v *Questions) JSONMembers(o *ggcodec.Object) {
	ggcodec.ListMember(o, "questions", &v.Questions, ggcodec.ReadString, ggcodec.WriteString, ggcodec.LengthBetween(1, 8))
}
func (v Questions) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *Questions) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "Questions") }
func (v Questions) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *Questions) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v Questions) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *Questions) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (Questions) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Questions", "description": "Questions that are asked at once.",
  "type": "object",
  "properties": {
    "questions": {
      "description": "The questions, each of which can be answered without the others.",
      "type": "array",
      "items": {"type": "string"},
      "minItems": 1,
      "maxItems": 8
    }
  },
  "required": ["questions"], "additionalProperties": false
}`
}
func (v Questions) IsZero() bool { return v.Questions == nil }

// What tools have given.
type ToolResult struct {
	// The tools that were called, each with the reason.
	Used []string
	// What they gave, complete, with sources.
	Result string
	// What no tool could give.
	Missing []string
}

func (v *ToolResult) JSONMembers(o *ggcodec.Object) {
	o.Strings("used", &v.Used)
	o.String("result", &v.Result)
	o.Strings("missing", &v.Missing)
}
func (v ToolResult) EncodeJSON(e *ggcodec.Encoder)             { ggcodec.WriteStruct(&v, e) }
func (v *ToolResult) DecodeJSON(d *ggcodec.Decoder)            { ggcodec.ReadStruct(v, d, "ToolResult") }
func (v ToolResult) MarshalJSON() ([]byte, error)              { return ggcodec.Marshal(v) }
func (v *ToolResult) UnmarshalJSON(b []byte) error             { return ggcodec.Unmarshal(b, v) }
func (v ToolResult) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }
func (v *ToolResult) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}
func (ToolResult) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ToolResult", "description": "What tools have given.",
  "type": "object",
  "properties": {
    "used": {"description": "The tools that were called, each with the reason.", "type": "array", "items": {"type": "string"}},
    "result": {"description": "What they gave, complete, with sources.", "type": "string"},
    "missing": {"description": "What no tool could give.", "type": "array", "items": {"type": "string"}}
  },
  "required": ["used", "result", "missing"], "additionalProperties": false
}`
}
func (v ToolResult) IsZero() bool { return v.Used == nil && v.Result == "" && v.Missing == nil }
