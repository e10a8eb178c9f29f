package anthropic

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/graphgen/graphgen/chat"
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
		return nil, nil, wrong("Anthropic takes no media" + named(m) + " by a URL that is not of https")
	}
	if m.URL == "" && len(m.Data) == 0 {
		return nil, nil, wrong("the media" + named(m) + " has neither a URL nor data")
	}
	switch {
	case kind == "image/png" || kind == "image/jpeg" || kind == "image/gif" || kind == "image/webp":
		if size := base64.StdEncoding.EncodedLen(len(m.Data)); m.URL == "" && size > maxImage {
			return nil, nil,
				wrong("Anthropic takes no image" + named(m) + " of more than 5 MiB in base64, and it has " + strconv.Itoa(size) +
					" bytes: scale it down, or give its URL")
		}
		return image(m, kind), nil, nil
	case kind == "application/pdf":
		return nil, titled(m, pdf(m)), nil
	case strings.HasPrefix(kind, "text/") && m.URL == "":
		if !utf8.Valid(m.Data) {
			return nil, nil, wrong("the media" + named(m) + " is not a text in UTF-8")
		}
		return nil, titled(m, anthropic.DocumentBlockParamSourceUnion{
			OfText: &anthropic.PlainTextSourceParam{Data: string(m.Data)},
		}), nil
	case strings.HasPrefix(kind, "text/"):
		return nil, nil, wrong("Anthropic takes no media" + named(m) + " of type " + kind + " by its URL: give its bytes")
	}
	return nil, nil, wrong("Anthropic takes no media" + named(m) + " of type " + quoted(m.Type) + remedy(kind))
}

// maxImage is the size of the largest image that the API takes, in base64.
const maxImage = 5 << 20

// remedy returns what to do with media that the API does not take.
func remedy(kind string) string {
	switch family, _, _ := strings.Cut(kind, "/"); family {
	case "image":
		return ": convert it to PNG, JPEG, GIF or WebP"
	case "audio":
		return ": transcribe it before, or ask a model of another provider"
	}
	return ""
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
