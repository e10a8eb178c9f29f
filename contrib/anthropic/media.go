package anthropic

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphgen/graphgen/runtime/chat"
)

func userMedia(media []chat.Media) (content, error) {
	var blocks content
	for i := range media {
		image, document, err := medium(&media[i])
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, anthropic.ContentBlockParamUnion{OfImage: image, OfDocument: document})
	}
	return blocks, nil
}

// medium returns an image or a document, the other one nil. An error names what the API
// cannot take.
func medium(m *chat.Media) (*anthropic.ImageBlockParam, *anthropic.DocumentBlockParam, error) {
	kind, _, _ := strings.Cut(m.Type, ";") // without the charset
	kind = strings.ToLower(strings.TrimSpace(kind))
	if m.URL != "" && !strings.HasPrefix(m.URL, "https://") && !strings.HasPrefix(m.URL, "http://") {
		return nil, nil, wrong("the API takes no media" + named(m) + " by a URL that is not of https")
	}
	if m.URL == "" && len(m.Data) == 0 {
		return nil, nil, wrong("the media" + named(m) + " has neither a URL nor data")
	}
	switch {
	case kind == "image/png" || kind == "image/jpeg" || kind == "image/gif" || kind == "image/webp":
		return image(m, kind), nil, nil
	case kind == "application/pdf":
		return nil, titled(m, pdf(m)), nil
	case strings.HasPrefix(kind, "text/") && m.URL == "":
		if !utf8.Valid(m.Data) {
			return nil, nil, wrong("the media" + named(m) + " is no text in UTF-8")
		}
		return nil, titled(m, anthropic.DocumentBlockParamSourceUnion{
			OfText: &anthropic.PlainTextSourceParam{Data: string(m.Data)},
		}), nil
	case strings.HasPrefix(kind, "text/"):
		return nil, nil, wrong("the API takes no media" + named(m) + " of type " + kind + " by its URL")
	}
	return nil, nil, wrong("the API takes no media" + named(m) + " of type " + quoted(m.Type))
}

func image(m *chat.Media, kind string) *anthropic.ImageBlockParam {
	if m.URL != "" {
		return &anthropic.ImageBlockParam{Source: anthropic.ImageBlockParamSourceUnion{
			OfURL: &anthropic.URLImageSourceParam{URL: m.URL},
		}}
	}
	return &anthropic.ImageBlockParam{Source: anthropic.ImageBlockParamSourceUnion{
		OfBase64: &anthropic.Base64ImageSourceParam{
			Data: base64.StdEncoding.EncodeToString(m.Data), MediaType: anthropic.Base64ImageSourceMediaType(kind),
		},
	}}
}

func pdf(m *chat.Media) anthropic.DocumentBlockParamSourceUnion {
	if m.URL != "" {
		return anthropic.DocumentBlockParamSourceUnion{OfURL: &anthropic.URLPDFSourceParam{URL: m.URL}}
	}
	return anthropic.DocumentBlockParamSourceUnion{OfBase64: &anthropic.Base64PDFSourceParam{
		Data: base64.StdEncoding.EncodeToString(m.Data),
	}}
}

func titled(m *chat.Media, source anthropic.DocumentBlockParamSourceUnion) *anthropic.DocumentBlockParam {
	d := &anthropic.DocumentBlockParam{Source: source}
	if m.Name != "" {
		d.Title = param.NewOpt(m.Name)
	}
	return d
}

func named(m *chat.Media) string {
	if m.Name == "" {
		return ""
	}
	return " " + quoted(m.Name)
}

func quoted(s string) string { return `"` + s + `"` }
