// Code generated from spec/prelude/reasoning.types.yaml by go test ./gen/golang -run TestPrelude -update. DO NOT EDIT.

package prelude

import (
	ggjsontext "github.com/go-json-experiment/json/jsontext"
	ggcodec "github.com/graphgen/graphgen/runtime/codec"
)

var planJSON = ggcodec.Members{
	Type:  "Plan",
	Names: []string{"subgoals", "done", "active", "quality"},
}

// EncodeJSON writes the Plan as a JSON object.
func (v Plan) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.LengthBetween(1, 12).Write(len(v.Subgoals), e.Name("subgoals"))
	ggcodec.WriteList(v.Subgoals, e, ggcodec.WriteString)
	ggcodec.WriteList(v.Done, e.Name("done"), ggcodec.WriteString)
	ggcodec.WriteString(v.Active, e.Name("active"))
	ggcodec.Between(1, 5).WriteInt(v.Quality, e.Name("quality"))
	e.End()
}

// DecodeJSON reads the Plan from a JSON object.
func (v *Plan) DecodeJSON(d *ggcodec.Decoder) {
	*v = Plan{}
	o := ggcodec.ReadObject(d, &planJSON)
	for o.Next() {
		switch o.Name {
		case "subgoals":
			ggcodec.ReadList(&v.Subgoals, d, ggcodec.ReadString)
			ggcodec.LengthBetween(1, 12).Read(len(v.Subgoals), d)
		case "done":
			ggcodec.ReadList(&v.Done, d, ggcodec.ReadString)
		case "active":
			ggcodec.ReadString(&v.Active, d)
		case "quality":
			ggcodec.Between(1, 5).ReadInt(&v.Quality, d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Plan.
func (v Plan) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Plan) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Plan) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Plan) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Plan) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Plan",
  "description": "What has to be reached, step by step, and how good that plan is.",
  "type": "object",
  "properties": {
    "subgoals": {
      "description": "What has to be reached, in this order, each so that one can see whether it is reached.",
      "type": "array",
      "items": {
        "type": "string"
      },
      "minItems": 1,
      "maxItems": 12
    },
    "done": {
      "description": "The subgoals of the plan before that are reached, in its words.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "active": {
      "description": "The subgoal to work on next.",
      "type": "string"
    },
    "quality": {
      "description": "How likely the plan is to reach the goal, from 1, hardly, to 5, surely.",
      "type": "integer",
      "minimum": 1,
      "maximum": 5
    }
  },
  "required": ["subgoals", "done", "active", "quality"],
  "additionalProperties": false
}`
}

var thoughtJSON = ggcodec.Members{
	Type:  "Thought",
	Names: []string{"gaps", "confidence", "recommendation"},
}

// EncodeJSON writes the Thought as a JSON object.
func (v Thought) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteList(v.Gaps, e.Name("gaps"), ggcodec.WriteString)
	ggcodec.Between(0, 1).WriteFloat(v.Confidence, e.Name("confidence"))
	ggcodec.WriteString(v.Recommendation, e.Name("recommendation"))
	e.End()
}

// DecodeJSON reads the Thought from a JSON object.
func (v *Thought) DecodeJSON(d *ggcodec.Decoder) {
	*v = Thought{}
	o := ggcodec.ReadObject(d, &thoughtJSON)
	for o.Next() {
		switch o.Name {
		case "gaps":
			ggcodec.ReadList(&v.Gaps, d, ggcodec.ReadString)
		case "confidence":
			ggcodec.Between(0, 1).ReadFloat(&v.Confidence, d)
		case "recommendation":
			ggcodec.ReadString(&v.Recommendation, d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Thought.
func (v Thought) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Thought) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Thought) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Thought) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Thought) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Thought",
  "description": "What is known so far, and what is missing.",
  "type": "object",
  "properties": {
    "gaps": {
      "description": "What is not known and would change the answer, one thing each.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "confidence": {
      "description": "How sure an answer would be that is given at this point.",
      "type": "number",
      "minimum": 0,
      "maximum": 1
    },
    "recommendation": {
      "description": "What to do next.",
      "type": "string"
    }
  },
  "required": ["gaps", "confidence", "recommendation"],
  "additionalProperties": false
}`
}

var observationJSON = ggcodec.Members{
	Type:  "Observation",
	Names: []string{"facts", "surprises", "done"},
}

// EncodeJSON writes the Observation as a JSON object.
func (v Observation) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteList(v.Facts, e.Name("facts"), ggcodec.WriteString)
	ggcodec.WriteList(v.Surprises, e.Name("surprises"), ggcodec.WriteString)
	ggcodec.WriteList(v.Done, e.Name("done"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Observation from a JSON object.
func (v *Observation) DecodeJSON(d *ggcodec.Decoder) {
	*v = Observation{}
	o := ggcodec.ReadObject(d, &observationJSON)
	for o.Next() {
		switch o.Name {
		case "facts":
			ggcodec.ReadList(&v.Facts, d, ggcodec.ReadString)
		case "surprises":
			ggcodec.ReadList(&v.Surprises, d, ggcodec.ReadString)
		case "done":
			ggcodec.ReadList(&v.Done, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Observation.
func (v Observation) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Observation) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Observation) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Observation) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Observation) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Observation",
  "description": "What results of tools show.",
  "type": "object",
  "properties": {
    "facts": {
      "description": "What the results show, one fact each, with its source.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "surprises": {
      "description": "What contradicts what was expected or known before.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "done": {
      "description": "The subgoals that are reached by these results, in the words of the plan.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["facts", "surprises", "done"],
  "additionalProperties": false
}`
}

var reflectionJSON = ggcodec.Members{
	Type:     "Reflection",
	Names:    []string{"progress", "mistake", "correction", "confidence", "done", "verdict"},
	Optional: []string{"mistake", "correction"},
}

// EncodeJSON writes the Reflection as a JSON object.
func (v Reflection) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Progress, e.Name("progress"))
	if v.Mistake != nil {
		ggcodec.WriteString(*v.Mistake, e.Name("mistake"))
	}
	if v.Correction != nil {
		ggcodec.WriteString(*v.Correction, e.Name("correction"))
	}
	ggcodec.Between(0, 1).WriteFloat(v.Confidence, e.Name("confidence"))
	ggcodec.WriteList(v.Done, e.Name("done"), ggcodec.WriteString)
	v.Verdict.EncodeJSON(e.Name("verdict"))
	e.End()
}

// DecodeJSON reads the Reflection from a JSON object.
func (v *Reflection) DecodeJSON(d *ggcodec.Decoder) {
	*v = Reflection{}
	o := ggcodec.ReadObject(d, &reflectionJSON)
	for o.Next() {
		switch o.Name {
		case "progress":
			ggcodec.ReadString(&v.Progress, d)
		case "mistake":
			ggcodec.ReadOptional(&v.Mistake, d, ggcodec.ReadString)
		case "correction":
			ggcodec.ReadOptional(&v.Correction, d, ggcodec.ReadString)
		case "confidence":
			ggcodec.Between(0, 1).ReadFloat(&v.Confidence, d)
		case "done":
			ggcodec.ReadList(&v.Done, d, ggcodec.ReadString)
		case "verdict":
			v.Verdict.DecodeJSON(d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Reflection.
func (v Reflection) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Reflection) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Reflection) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Reflection) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Reflection) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Reflection",
  "description": "How the work goes, and how it goes on.",
  "type": "object",
  "properties": {
    "progress": {
      "description": "What has been reached.",
      "type": "string"
    },
    "mistake": {
      "description": "What went wrong, if anything did.",
      "type": ["string", "null"]
    },
    "correction": {
      "description": "What to do in another way from here on.",
      "type": ["string", "null"]
    },
    "confidence": {
      "description": "How sure an answer would be that is given at this point.",
      "type": "number",
      "minimum": 0,
      "maximum": 1
    },
    "done": {
      "description": "The subgoals that are reached, in the words of the plan.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "verdict": {
      "description": "answer: enough is known. continue: the plan holds, and work is left. replan: the plan does not lead to the goal.",
      "$ref": "#/$defs/Verdict"
    }
  },
  "required": ["progress", "confidence", "done", "verdict"],
  "additionalProperties": false,
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

var verdictJSON = ggcodec.Enum{
	Type:  "Verdict",
	Names: []string{"answer", "continue", "replan"},
}

// EncodeJSON writes the Verdict by its name. One that is not set is an error.
func (v Verdict) EncodeJSON(e *ggcodec.Encoder) { ggcodec.WriteEnum(v, e, &verdictJSON) }

// DecodeJSON reads the Verdict by its name.
func (v *Verdict) DecodeJSON(d *ggcodec.Decoder) { ggcodec.ReadEnum(v, d, &verdictJSON) }

// MarshalText and UnmarshalText give encoding/json the name of the Verdict.
func (v Verdict) MarshalText() ([]byte, error) { return ggcodec.EnumText(v, &verdictJSON) }
func (v *Verdict) UnmarshalText(data []byte) error {
	return ggcodec.ReadEnumText(v, data, &verdictJSON)
}

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Verdict) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Verdict) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Verdict) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Verdict",
  "description": "How a run goes on after a reflection.",
  "type": "string",
  "enum": ["answer", "continue", "replan"]
}`
}

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
      "description": "One problem each, with what would mend it.",
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

var justificationJSON = ggcodec.Members{
	Type:  "Justification",
	Names: []string{"decision", "evidence", "alternatives", "doubts"},
}

// EncodeJSON writes the Justification as a JSON object.
func (v Justification) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Decision, e.Name("decision"))
	ggcodec.WriteList(v.Evidence, e.Name("evidence"), ggcodec.WriteString)
	ggcodec.WriteList(v.Alternatives, e.Name("alternatives"), ggcodec.WriteString)
	ggcodec.WriteList(v.Doubts, e.Name("doubts"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Justification from a JSON object.
func (v *Justification) DecodeJSON(d *ggcodec.Decoder) {
	*v = Justification{}
	o := ggcodec.ReadObject(d, &justificationJSON)
	for o.Next() {
		switch o.Name {
		case "decision":
			ggcodec.ReadString(&v.Decision, d)
		case "evidence":
			ggcodec.ReadList(&v.Evidence, d, ggcodec.ReadString)
		case "alternatives":
			ggcodec.ReadList(&v.Alternatives, d, ggcodec.ReadString)
		case "doubts":
			ggcodec.ReadList(&v.Doubts, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Justification.
func (v Justification) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Justification) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Justification) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Justification) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Justification) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Justification",
  "description": "Why a decision was taken, for those who check it later.",
  "type": "object",
  "properties": {
    "decision": {
      "description": "What was decided, in one sentence.",
      "type": "string"
    },
    "evidence": {
      "description": "What the decision rests on, one point each, with its source.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "alternatives": {
      "description": "What was decided against, each with the reason.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "doubts": {
      "description": "What would change the decision if it came out otherwise.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["decision", "evidence", "alternatives", "doubts"],
  "additionalProperties": false
}`
}

var synthesisJSON = ggcodec.Members{
	Type:  "Synthesis",
	Names: []string{"answer", "sources", "open"},
}

var synthesisAnswerText = ggcodec.Text{Length: ggcodec.MinLength(1)}

// EncodeJSON writes the Synthesis as a JSON object.
func (v Synthesis) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	synthesisAnswerText.WriteString(v.Answer, e.Name("answer"))
	ggcodec.WriteList(v.Sources, e.Name("sources"), ggcodec.WriteString)
	ggcodec.WriteList(v.Open, e.Name("open"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Synthesis from a JSON object.
func (v *Synthesis) DecodeJSON(d *ggcodec.Decoder) {
	*v = Synthesis{}
	o := ggcodec.ReadObject(d, &synthesisJSON)
	for o.Next() {
		switch o.Name {
		case "answer":
			synthesisAnswerText.ReadString(&v.Answer, d)
		case "sources":
			ggcodec.ReadList(&v.Sources, d, ggcodec.ReadString)
		case "open":
			ggcodec.ReadList(&v.Open, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Synthesis.
func (v Synthesis) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Synthesis) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Synthesis) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Synthesis) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Synthesis) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Synthesis",
  "description": "The answer that is made of all findings.",
  "type": "object",
  "properties": {
    "answer": {
      "description": "The answer, as the reader gets it.",
      "type": "string",
      "minLength": 1
    },
    "sources": {
      "description": "What the answer rests on.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "open": {
      "description": "What stays open, and why.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["answer", "sources", "open"],
  "additionalProperties": false
}`
}

var validationJSON = ggcodec.Members{
	Type:  "Validation",
	Names: []string{"passes", "issues"},
}

// EncodeJSON writes the Validation as a JSON object.
func (v Validation) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteBool(v.Passes, e.Name("passes"))
	ggcodec.WriteList(v.Issues, e.Name("issues"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Validation from a JSON object.
func (v *Validation) DecodeJSON(d *ggcodec.Decoder) {
	*v = Validation{}
	o := ggcodec.ReadObject(d, &validationJSON)
	for o.Next() {
		switch o.Name {
		case "passes":
			ggcodec.ReadBool(&v.Passes, d)
		case "issues":
			ggcodec.ReadList(&v.Issues, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Validation.
func (v Validation) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Validation) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Validation) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Validation) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Validation) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Validation",
  "description": "Whether a text does what it has to do.",
  "type": "object",
  "properties": {
    "passes": {
      "description": "Whether every requirement is met.",
      "type": "boolean"
    },
    "issues": {
      "description": "The requirements that are not met, each with what is missing.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["passes", "issues"],
  "additionalProperties": false
}`
}

var findingJSON = ggcodec.Members{
	Type:  "Finding",
	Names: []string{"question", "answer", "confidence"},
}

// EncodeJSON writes the Finding as a JSON object.
func (v Finding) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteString(v.Question, e.Name("question"))
	ggcodec.WriteString(v.Answer, e.Name("answer"))
	ggcodec.Between(0, 1).WriteFloat(v.Confidence, e.Name("confidence"))
	e.End()
}

// DecodeJSON reads the Finding from a JSON object.
func (v *Finding) DecodeJSON(d *ggcodec.Decoder) {
	*v = Finding{}
	o := ggcodec.ReadObject(d, &findingJSON)
	for o.Next() {
		switch o.Name {
		case "question":
			ggcodec.ReadString(&v.Question, d)
		case "answer":
			ggcodec.ReadString(&v.Answer, d)
		case "confidence":
			ggcodec.Between(0, 1).ReadFloat(&v.Confidence, d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Finding.
func (v Finding) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Finding) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Finding) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Finding) UnmarshalJSONFrom(d *ggjsontext.Decoder) error { return ggcodec.UnmarshalFrom(v, d) }

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Finding) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Finding",
  "description": "The answer to a question that is a part of another.",
  "type": "object",
  "properties": {
    "question": {
      "description": "The question, as it was asked.",
      "type": "string"
    },
    "answer": {
      "description": "The answer, in a few sentences.",
      "type": "string"
    },
    "confidence": {
      "description": "How sure the answer is.",
      "type": "number",
      "minimum": 0,
      "maximum": 1
    }
  },
  "required": ["question", "answer", "confidence"],
  "additionalProperties": false
}`
}

var questionsJSON = ggcodec.Members{Type: "Questions", Names: []string{"questions"}}

// EncodeJSON writes the Questions as a JSON object.
func (v Questions) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.LengthBetween(1, 8).Write(len(v.Questions), e.Name("questions"))
	ggcodec.WriteList(v.Questions, e, ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the Questions from a JSON object.
func (v *Questions) DecodeJSON(d *ggcodec.Decoder) {
	*v = Questions{}
	o := ggcodec.ReadObject(d, &questionsJSON)
	for o.Next() {
		switch o.Name {
		case "questions":
			ggcodec.ReadList(&v.Questions, d, ggcodec.ReadString)
			ggcodec.LengthBetween(1, 8).Read(len(v.Questions), d)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the Questions.
func (v Questions) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *Questions) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v Questions) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *Questions) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (Questions) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Questions",
  "description": "Questions that are asked at once.",
  "type": "object",
  "properties": {
    "questions": {
      "description": "The questions, each of which can be answered without the others.",
      "type": "array",
      "items": {
        "type": "string"
      },
      "minItems": 1,
      "maxItems": 8
    }
  },
  "required": ["questions"],
  "additionalProperties": false
}`
}

var toolResultJSON = ggcodec.Members{
	Type:  "ToolResult",
	Names: []string{"used", "result", "missing"},
}

// EncodeJSON writes the ToolResult as a JSON object.
func (v ToolResult) EncodeJSON(e *ggcodec.Encoder) {
	if !e.Begin() {
		return
	}
	ggcodec.WriteList(v.Used, e.Name("used"), ggcodec.WriteString)
	ggcodec.WriteString(v.Result, e.Name("result"))
	ggcodec.WriteList(v.Missing, e.Name("missing"), ggcodec.WriteString)
	e.End()
}

// DecodeJSON reads the ToolResult from a JSON object.
func (v *ToolResult) DecodeJSON(d *ggcodec.Decoder) {
	*v = ToolResult{}
	o := ggcodec.ReadObject(d, &toolResultJSON)
	for o.Next() {
		switch o.Name {
		case "used":
			ggcodec.ReadList(&v.Used, d, ggcodec.ReadString)
		case "result":
			ggcodec.ReadString(&v.Result, d)
		case "missing":
			ggcodec.ReadList(&v.Missing, d, ggcodec.ReadString)
		}
	}
}

// MarshalJSON and UnmarshalJSON give encoding/json the JSON of the ToolResult.
func (v ToolResult) MarshalJSON() ([]byte, error)     { return ggcodec.Marshal(v) }
func (v *ToolResult) UnmarshalJSON(data []byte) error { return ggcodec.Unmarshal(data, v) }

// MarshalJSONTo is EncodeJSON for encoding/json/v2.
func (v ToolResult) MarshalJSONTo(e *ggjsontext.Encoder) error { return ggcodec.MarshalTo(v, e) }

// UnmarshalJSONFrom is DecodeJSON for encoding/json/v2.
func (v *ToolResult) UnmarshalJSONFrom(d *ggjsontext.Decoder) error {
	return ggcodec.UnmarshalFrom(v, d)
}

// JSONSchema returns the JSON Schema, draft 2020-12, of what DecodeJSON reads.
func (ToolResult) JSONSchema() string {
	return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "ToolResult",
  "description": "What tools have given.",
  "type": "object",
  "properties": {
    "used": {
      "description": "The tools that were called, each with the reason.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "result": {
      "description": "What they gave, complete, with sources.",
      "type": "string"
    },
    "missing": {
      "description": "What no tool could give.",
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": ["used", "result", "missing"],
  "additionalProperties": false
}`
}

// IsZero reports whether nothing of the Plan is set.
func (v Plan) IsZero() bool {
	return v.Subgoals == nil && v.Done == nil && v.Active == "" && v.Quality == 0
}

// IsZero reports whether nothing of the Thought is set.
func (v Thought) IsZero() bool {
	return v.Gaps == nil && v.Confidence == 0 && v.Recommendation == ""
}

// IsZero reports whether nothing of the Observation is set.
func (v Observation) IsZero() bool {
	return v.Facts == nil && v.Surprises == nil && v.Done == nil
}

// IsZero reports whether nothing of the Reflection is set.
func (v Reflection) IsZero() bool {
	return v.Progress == "" && v.Mistake == nil && v.Correction == nil && v.Confidence == 0 &&
		v.Done == nil && v.Verdict == 0
}

// IsZero reports whether nothing of the Critique is set.
func (v Critique) IsZero() bool {
	return v.Severity == 0 && v.Issues == nil
}

// IsZero reports whether nothing of the Justification is set.
func (v Justification) IsZero() bool {
	return v.Decision == "" && v.Evidence == nil && v.Alternatives == nil && v.Doubts == nil
}

// IsZero reports whether nothing of the Synthesis is set.
func (v Synthesis) IsZero() bool {
	return v.Answer == "" && v.Sources == nil && v.Open == nil
}

// IsZero reports whether nothing of the Validation is set.
func (v Validation) IsZero() bool {
	return !v.Passes && v.Issues == nil
}

// IsZero reports whether nothing of the Finding is set.
func (v Finding) IsZero() bool {
	return v == Finding{}
}

// IsZero reports whether nothing of the Questions is set.
func (v Questions) IsZero() bool {
	return v.Questions == nil
}

// IsZero reports whether nothing of the ToolResult is set.
func (v ToolResult) IsZero() bool {
	return v.Used == nil && v.Result == "" && v.Missing == nil
}
