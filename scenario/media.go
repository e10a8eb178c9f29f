package scenario

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// maxMedia is the size of the largest file of media that a scenario names, in bytes.
const maxMedia = 20 << 20

// mediaTypes are the MIME types of files, by the ends of their names.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".heic": "image/heic", ".heif": "image/heif", ".bmp": "image/bmp", ".tif": "image/tiff", ".tiff": "image/tiff",
	".pdf": "application/pdf",
	".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".flac": "audio/flac", ".aac": "audio/aac",
	".aiff": "audio/aiff", ".m4a": "audio/mp4", ".webm": "audio/webm",
}

// mediaKeys are the keys of media in a scenario.
var mediaKeys = []string{"file", "data", "url", "type", "name"}

// convertMedia converts an image, a PDF or audio: what its JSON has, or a file, whose path is relative to the
// scenario file.
func (b *binder) convertMedia(v *Value, t *resolve.Type) any {
	example := "write it as in {file: testdata/otter.png}, or as its JSON has it: type, and data or url"
	if v.Kind != yamlread.Map {
		return b.unfit(v, t, example)
	}
	given := map[string]string{}
	for i := 0; i < len(v.Items); i += 2 {
		key, value := &v.Items[i], &v.Items[i+1]
		switch {
		case !slices.Contains(mediaKeys, key.Text):
			b.unknown("GG207", key.Text, key.Pos, "field", "of "+t.String(), mediaKeys)
			return nil
		case value.Kind != yamlread.Text:
			return b.unfit(v, t, example)
		}
		given[key.Text] = value.Text
	}
	m := map[string]any{"Type": given["type"], "URL": given["url"], "Data": nil, "Name": given["name"]}
	if t.Name == "pdf" && given["type"] == "" {
		m["Type"] = "application/pdf"
	}
	if given["data"] != "" {
		data, err := base64.StdEncoding.DecodeString(given["data"])
		if err != nil {
			return b.unfit(v, t, "write the data in base64, as in aGVsbG8=, or name a file")
		}
		m["Data"] = base64.StdEncoding.EncodeToString(data)
	}
	if file := given["file"]; file != "" {
		b.mediaFile(v.Get("file"), m)
	}
	return m
}

// mediaFile sets the data of media to the data of a file, and its type unless the scenario gives it.
func (b *binder) mediaFile(file *Value, m map[string]any) {
	root := b
	for root.parent != nil {
		root = root.parent
	}
	path := filepath.FromSlash(file.Text)
	if filepath.IsAbs(path) {
		b.report("GG208", file.Pos, "the path of a file is relative to the scenario file: "+quote(file.Text),
			"keep the file beside the scenarios, as in testdata/otter.png")
		return
	}
	data, err := input.Read(filepath.Join(filepath.Dir(root.file.Path), path), maxMedia)
	if err != nil {
		b.report("GG208", file.Pos, "the file cannot be read: "+err.Error(), "paths are relative to the scenario file")
		return
	}
	m["Data"] = base64.StdEncoding.EncodeToString(data)
	if m["Type"] == "" {
		m["Type"] = mediaTypes[strings.ToLower(filepath.Ext(path))]
	}
	if m["Type"] == "" {
		b.report("GG208", file.Pos, "the type of the file is not known by its name: "+quote(file.Text),
			"write it too, as in {file: "+file.Text+", type: image/png}")
	}
}

// compareMedia compares the type, the address, the bytes and the name, as far as they are given. A PDF
// needs no type.
func (j *judgement) compareMedia(what string, line int, want, got map[string]any, t *resolve.Type) {
	differs := func(key string) bool {
		wanted, is := stringOf(want[key]), stringOf(got[key])
		return wanted != "" && wanted != is && (key != "Type" || is != "" || t.Name != "pdf")
	}
	if !slices.ContainsFunc([]string{"Type", "URL", "Data", "Name"}, differs) {
		return
	}
	wanted, is := showMedia(want), showMedia(got)
	if wanted == is { // of as many bytes
		is += " with other bytes"
	}
	j.fail(what, line, wanted, is)
}

// showMedia formats media as in a scenario file, without its bytes.
func showMedia(m map[string]any) string {
	text := "{type: " + showText(stringOf(m["Type"]))
	if data := stringOf(m["Data"]); data != "" {
		text += ", data: " + strconv.Itoa(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))) + " bytes"
	}
	for _, part := range []struct{ key, of string }{{"url", "URL"}, {"name", "Name"}} {
		if value := stringOf(m[part.of]); value != "" {
			text += ", " + part.key + ": " + showText(value)
		}
	}
	return text + "}"
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}
