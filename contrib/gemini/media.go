package gemini

import (
	"encoding/base64"
	"mime"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
)

// kinds are the types of media that models take, besides images, audio, video and text.
var kinds = map[string]bool{
	"application/pdf": true, "application/json": true, "application/xml": true, "application/rtf": true,
	"application/x-javascript": true, "application/javascript": true, "application/x-typescript": true,
	"application/x-python-code": true, "application/x-ipynb+json": true,
}

// mediaPart makes a part of media: bytes, data: URLs, and references to what the API
// fetches: https, with addresses of the Files API, and gs.
func mediaPart(m chat.Media) (*genai.Part, error) {
	if m.URL == "" {
		if len(m.Data) == 0 {
			return nil, refuse(named(m) + " is empty")
		}
		if err := checkKind(m, m.Type); err != nil {
			return nil, err
		}
		return &genai.Part{InlineData: &genai.Blob{MIMEType: m.Type, Data: m.Data}}, nil
	}
	if content, ok := strings.CutPrefix(m.URL, "data:"); ok {
		return inlinePart(m, content)
	}
	u, err := url.Parse(m.URL)
	if err != nil {
		return nil, refuse(named(m) + " has an address that is not a URL")
	}
	if u.Scheme == "https" || u.Scheme == "gs" {
		if m.Type != "" {
			if err := checkKind(m, m.Type); err != nil {
				return nil, err
			}
		}
		return &genai.Part{FileData: &genai.FileData{FileURI: m.URL, MIMEType: m.Type}}, nil
	}
	return nil, refuse(named(m) + " is at " + strconv.Quote(u.Scheme+":") + ", and Gemini takes https, gs and data only")
}

// inlinePart makes a part of what follows data: in a URL.
func inlinePart(m chat.Media, content string) (*genai.Part, error) {
	head, body, ok := strings.Cut(content, ",")
	kind, encoded := strings.CutSuffix(head, ";base64")
	if !ok {
		return nil, refuse(named(m) + " has a data URL without data")
	}
	if m.Type != "" {
		kind = m.Type
	}
	if err := checkKind(m, kind); err != nil {
		return nil, err
	}
	text, err := url.PathUnescape(body)
	data := []byte(text)
	if err == nil && encoded {
		data, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(data) == 0 {
		return nil, refuse(named(m) + " has a data URL that cannot be read")
	}
	return &genai.Part{InlineData: &genai.Blob{MIMEType: kind, Data: data}}, nil
}

func checkKind(m chat.Media, kind string) error {
	plain, _, err := mime.ParseMediaType(kind)
	if err != nil {
		return refuse(named(m) + " is of no MIME type: " + strconv.Quote(kind))
	}
	family, _, _ := strings.Cut(plain, "/")
	switch family {
	case "image", "audio", "video", "text":
		return nil
	}
	if !kinds[plain] {
		return refuse(named(m) + " is " + kind + ", which Gemini does not take")
	}
	return nil
}

// named names media in an error, without its address: that may hold a secret.
func named(m chat.Media) string {
	if m.Name == "" {
		return "a piece of media"
	}
	return "media " + strconv.Quote(m.Name)
}
