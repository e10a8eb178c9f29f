package schema

import "github.com/graphgen/graphgen/spec/resolve"

// encoded are the fields of messages, and of the structs in them, whose texts may be any bytes: what
// is not UTF-8 is in a member of its own, in base64.
var encoded = map[string]string{"Message": "text", "Reasoning": "text", "ToolCall": "arguments"}

// message writes the keywords of a message, or of a struct in it, as package chatjson reads them.
func (w *writer) message(t *resolve.Type) {
	w.key("type").string("object")
	w.key("properties").open('{')
	for _, f := range t.Fields {
		w.key(f.Name).open('{')
		w.describe(f.Type, nil)
		w.close('}')
		if f.Name == encoded[t.GoName] {
			w.key(f.Name + "_base64").open('{')
			w.describe(&resolve.Type{Kind: resolve.Bytes}, nil)
			w.close('}')
		}
	}
	w.close('}')
	if t.Field("role") != nil {
		w.key("required").strings([]string{"role"})
	}
	w.key("additionalProperties").raw("false")
}
