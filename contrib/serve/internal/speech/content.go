package speech

import (
	"encoding/json"

	"github.com/graphgen/graphgen/chat"
)

// A part is a part of the content of a message, by the names of OpenAI and of LangChain.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // an object, or a text
	FileURL  string          `json:"file_url"`
	FileData string          `json:"file_data"`
	Filename string          `json:"filename"`
	Audio    struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File struct {
		FileData string `json:"file_data"`
		Filename string `json:"filename"`
	} `json:"file"`
}

// Content adds the content of a message: a text, or parts.
func Content(of *chat.Message, content json.RawMessage, at string) error {
	if len(content) == 0 || string(content) == "null" {
		return nil
	}
	if json.Unmarshal(content, &of.Text) == nil {
		return nil
	}
	var parts []part
	if json.Unmarshal(content, &parts) != nil {
		return Invalid(at, "It is a text, or a list of parts.")
	}
	for i := range parts {
		if err := parts[i].fill(of, Index(at, i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) fill(of *chat.Message, at string) error {
	link, kind, name := "", "", p.Filename
	switch p.Type {
	case "text", "input_text", "output_text", "refusal":
		if of.Text != "" {
			of.Text += "\n"
		}
		of.Text += p.Text + p.Refusal
		return nil
	case "image_url", "input_image":
		var image struct{ URL string }
		if json.Unmarshal(p.ImageURL, &link) != nil && json.Unmarshal(p.ImageURL, &image) == nil {
			link = image.URL
		}
		kind = "image"
	case "input_audio":
		kind = "audio/" + p.Audio.Format
		link = "data:" + kind + ";base64," + p.Audio.Data
	case "file":
		link, name = p.File.FileData, p.File.Filename
	case "input_file":
		if link = p.FileData; link == "" {
			link = p.FileURL
		}
	default:
		return Invalid(at+".type", "The graph takes no part of this type.")
	}
	file, err := File(link, kind, name)
	if err != nil {
		return Invalid(at, err.Error())
	}
	of.Media = append(of.Media, file)
	return nil
}
