package pipeline

import (
	"bytes"
	"errors"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// heldCall returns a call that waits for an answer. The error is that its arguments do not fit.
func (s *session) heldCall(c *chat.ToolCall) (*engine.HeldCall, error) {
	if c.Arguments == "" {
		c.Arguments = "{}"
	}
	var decoder Decoder // of a tool of the spec
	if d, ok := s.caller.(Decoder); ok && s.tool(c.Name) != nil {
		decoder = d
	}
	args, err := argumentsOf(c, decoder)
	if err != nil {
		return nil, err
	}
	name, arguments := c.Name, c.Arguments
	if t := s.tool(name); t != nil && t.Client {
		returner := s.caller.(Returner)
		return &engine.HeldCall{
			Client: true, Tool: name, Arguments: arguments, Args: args, Timeout: t.Timeout.Limit, Schema: returner.ToolReturns(name),
			Question: "What does " + name + " return for " + arguments + "?",
			Accept:   func(answer []byte) (engine.Verdict, error) { return returned(returner, name, answer) },
		}, nil
	}
	return &engine.HeldCall{
		Tool: name, Arguments: arguments, Args: args, Timeout: s.node.Await,
		Question: "May " + s.run.NodeName() + " call " + name + " with " + arguments + "?",
		Schema:   answerSchema(s.schema(name)),
		Accept: func(answer []byte) (engine.Verdict, error) { // another answer may be resuming the run: it has the session
			v, err := verdict(answer)
			if err == nil && v.Arguments != "" {
				_, err = argumentsOf(&chat.ToolCall{Name: name, Arguments: v.Arguments}, decoder)
			}
			if err == nil {
				err = v.Invalid()
			}
			return v, err
		},
	}, nil
}

// argumentsOf decodes the arguments of a call, by the decoder of a tool of the spec. Without one, they are an object of JSON.
func argumentsOf(c *chat.ToolCall, decoder Decoder) (args any, err error) {
	if decoder != nil {
		return decoder.ToolArguments(c)
	}
	var object []byte
	if err := codec.UnmarshalString(c.Arguments, codec.Into(&object, codec.ReadAny)); err != nil {
		return nil, &chat.ToolError{Kind: chat.BadArguments, Err: err}
	}
	if object[0] != '{' {
		return nil, &chat.ToolError{Kind: chat.BadArguments, Err: errors.New("they are no object")}
	}
	return nil, nil
}

// schema returns the JSON Schema of the arguments of a tool.
func (s *session) schema(tool string) string {
	for i := range s.node.Specs {
		if s.node.Specs[i].Name == tool {
			return s.node.Specs[i].Schema
		}
	}
	for _, t := range s.injected {
		if t.name == tool {
			return t.tool.Spec().Schema
		}
	}
	return ""
}

// answerSchema returns the JSON Schema of the answer about a call whose arguments have a schema.
func answerSchema(arguments string) string {
	if arguments = strings.TrimSpace(arguments); len(arguments) < len("{}x") {
		arguments = `{"type":"object"}`
	}
	arguments = `{"$id":"arguments",` + arguments[1:] // what refers to parts of it begins here
	return `{"type":"object","properties":{"decision":{"enum":["approve","deny"]},"reason":{"type":"string"},"arguments":` +
		arguments + `},"required":["decision"],"additionalProperties":false}`
}

// answered is the answer about a call of a tool, as JSON.
type answered struct {
	decision, reason string
	arguments        []byte
}

// JSONMembers lists the members for the codec.
func (a *answered) JSONMembers(o *codec.Object) {
	o.String("decision", &a.decision)
	codec.DefaultMember(o, "reason", &a.reason, "", codec.ReadString, codec.WriteString)
	codec.DefaultMember(o, "arguments", &a.arguments, nil, codec.ReadAny, codec.WriteAny)
}

func readAnswered(a *answered, d *codec.Decoder) { codec.ReadStruct(a, d, "answer") }

// verdict decodes the answer about a call: approve or deny, or an object.
func verdict(data []byte) (v engine.Verdict, err error) {
	var a answered
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '"' {
		err = codec.Unmarshal(data, codec.Into(&a.decision, codec.ReadString))
	} else {
		err = codec.Unmarshal(data, codec.Into(&a, readAnswered))
	}
	v.Reason, v.Arguments = a.reason, string(a.arguments)
	switch a.decision {
	case graphgen.Approve.String():
		v.Decision = graphgen.Approve
	case graphgen.Deny.String():
		v.Decision = graphgen.Deny
	}
	return v, err
}

// Decided returns the verdict of a typed answer about a call of a tool. args are the arguments that the person
// gives; nil: none.
func Decided(decision graphgen.Decision, reason string, args codec.Marshaler) (v engine.Verdict, invalid error) {
	v = engine.Verdict{Decision: decision, Reason: reason}
	if args == nil {
		return v, nil
	}
	data, err := codec.Marshal(args)
	v.Arguments = string(data)
	return v, err
}
