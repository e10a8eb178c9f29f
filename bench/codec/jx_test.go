package codec

import (
	"github.com/go-faster/jx"

	"github.com/graphgen/graphgen/bench/codec/easy"
)

// decodeJX is what a person writes with jx, which has no generator of its own.
func decodeJX(data []byte, v *easy.Reply) error {
	return readReply(jx.DecodeBytes(data), v)
}

func readReply(d *jx.Decoder, v *easy.Reply) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "id":
			v.ID, err = d.Str()
		case "created":
			v.Created, err = d.Int()
		case "model":
			v.Model, err = d.Str()
		case "role":
			v.Role, err = d.Str()
		case "content":
			v.Content, err = d.Str()
		case "tool_calls":
			err = d.Arr(func(d *jx.Decoder) error {
				v.ToolCalls = append(v.ToolCalls, easy.ToolCall{})
				return readCall(d, &v.ToolCalls[len(v.ToolCalls)-1])
			})
		case "usage":
			err = readUsage(d, &v.Usage)
		case "finish":
			v.Finish, err = d.Str()
		case "parent":
			v.Parent, err = readOptional(d)
		case "flagged":
			v.Flagged, err = d.Bool()
		default:
			err = d.Skip()
		}
		return err
	})
}

func readOptional(d *jx.Decoder) (*string, error) {
	if d.Next() == jx.Null {
		return nil, d.Null()
	}
	s, err := d.Str()
	return &s, err
}

func readUsage(d *jx.Decoder, v *easy.Usage) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "input_tokens":
			v.InputTokens, err = d.Int()
		case "output_tokens":
			v.OutputTokens, err = d.Int()
		case "cost":
			v.Cost, err = d.Float64()
		default:
			err = d.Skip()
		}
		return err
	})
}

func readCall(d *jx.Decoder, v *easy.ToolCall) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "id":
			v.ID, err = d.Str()
		case "name":
			v.Name, err = d.Str()
		case "arguments":
			err = readArguments(d, &v.Arguments)
		case "confidence":
			v.Confidence, err = d.Float64()
		case "cached":
			v.Cached, err = d.Bool()
		default:
			err = d.Skip()
		}
		return err
	})
}

func readArguments(d *jx.Decoder, v *easy.Arguments) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "query":
			v.Query, err = d.Str()
		case "paths":
			err = d.Arr(func(d *jx.Decoder) error {
				s, err := d.Str()
				v.Paths = append(v.Paths, s)
				return err
			})
		case "limit":
			v.Limit, err = d.Int()
		case "threshold":
			v.Threshold, err = d.Float64()
		case "recursive":
			v.Recursive, err = d.Bool()
		case "edits":
			v.Edits = []easy.Edit{}
			err = d.Arr(func(d *jx.Decoder) error {
				v.Edits = append(v.Edits, easy.Edit{})
				return readEdit(d, &v.Edits[len(v.Edits)-1])
			})
		case "note":
			v.Note, err = readOptional(d)
		default:
			err = d.Skip()
		}
		return err
	})
}

func readEdit(d *jx.Decoder, v *easy.Edit) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "path":
			v.Path, err = d.Str()
		case "range":
			err = d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
				switch string(key) {
				case "start":
					v.Range.Start, err = d.Int()
				case "end":
					v.Range.End, err = d.Int()
				default:
					err = d.Skip()
				}
				return err
			})
		case "replacement":
			v.Replacement, err = d.Str()
		case "reason":
			v.Reason, err = readOptional(d)
		default:
			err = d.Skip()
		}
		return err
	})
}
