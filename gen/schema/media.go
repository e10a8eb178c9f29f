package schema

import (
	"strconv"

	"github.com/graphgen/graphgen/spec/resolve"
)

// mediaPatterns are the types that media of a kind may have.
var mediaPatterns = map[string]string{"image": "^image/.", "pdf": "^application/pdf$", "audio": "^audio/."}

// media writes the schema of an image, a PDF or audio: an object with data or a url. f has the limits.
func (w *writer) media(t *resolve.Type, f *resolve.Field, null bool) {
	w.typ("object", null)
	w.key("properties").open('{')
	w.key("type").open('{')
	w.typ("string", false)
	if f != nil && f.Spec != nil && len(f.Spec.Media) > 0 {
		types := make([]string, len(f.Spec.Media))
		for i := range f.Spec.Media {
			types[i] = f.Spec.Media[i].V
		}
		w.key("enum").strings(types)
	} else {
		w.key("pattern").string(mediaPatterns[t.Name])
	}
	w.close('}')
	w.key("data").open('{')
	w.typ("string", false)
	w.key("contentEncoding").string("base64")
	if f != nil && f.Spec != nil && f.Spec.MaxBytes.IsSet() {
		w.key("maxLength").raw(strconv.Itoa(inBase64(f.Spec.MaxBytes.V)))
	}
	w.close('}')
	for _, name := range []string{"url", "name"} {
		w.key(name).open('{')
		w.typ("string", false)
		w.close('}')
	}
	w.close('}')
	if t.Name != "pdf" {
		w.key("required").strings([]string{"type"})
	}
	w.key("oneOf").open('[')
	for _, name := range []string{"data", "url"} {
		w.item().open('{')
		w.key("required").strings([]string{name})
		w.close('}')
	}
	w.close(']')
	w.key("additionalProperties").raw("false")
}
