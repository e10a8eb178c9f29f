package media_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/media"
)

func TestLimits(t *testing.T) {
	data := []byte("12345")
	small := media.Limits[chat.Image]{Bytes: 4}
	png := media.Limits[chat.Image]{Types: []string{"image/png", "image/webp"}}
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"an image":             {media.Check(chat.Image{Type: "image/png", Data: data}), ""},
		"an image at a URL":    {small.Check(chat.Image{Type: "image/png", URL: "https://example.com/a.png"}), ""},
		"a PDF without a type": {media.Check(chat.PDF{Data: data}), ""},
		"a sound":              {media.Check(chat.Audio{Type: "audio/mpeg", Data: data}), ""},
		"nothing":              {media.Check(chat.Image{Type: "image/png"}), "there is no image: it has neither data nor a url"},
		"both": {media.Check(chat.Image{Type: "image/png", Data: data, URL: "https://example.com"}),
			"the image has data and a url: want one of them"},
		"bytes in a URL": {media.Check(chat.Image{Type: "image/png", URL: "DATA:image/png;base64,aGk="}),
			"the url of the image holds the bytes: want them as data"},
		"an image of no type": {media.Check(chat.Image{Data: data}), `the type of the image is "", want one such as image/png`},
		"a PDF as an image": {media.Check(chat.Image{Type: chat.TypePDF, Data: data}),
			`the type of the image is "application/pdf", want one such as image/png`},
		"a kind without a type": {media.Check(chat.Audio{Type: "audio/", Data: data}), `the type of the audio is "audio/", want one such as audio/mpeg`},
		"a PDF of another type": {media.Check(chat.PDF{Type: "application/pdfx", Data: data}),
			`the type of the PDF is "application/pdfx", want application/pdf`},
		"a type that is not one": {png.Check(chat.Image{Type: "image/gif", Data: data}), `the type of the image is "image/gif", want image/png or image/webp`},
		"a byte too many":        {small.Check(chat.Image{Type: "image/png", Data: data}), "the image has 5 bytes, want at most 4"},
		"as many as may be":      {small.Check(chat.Image{Type: "image/png", Data: data[:4]}), ""},
		"an element of a list": {
			media.In("pages", media.List([]chat.Image{{Type: "image/png", Data: data[:1]}, {Type: "image/png", Data: data}}, small.Check)),
			"pages[1]: the image has 5 bytes, want at most 4",
		},
		"a value of a map": {media.In("pages", media.Map(map[string]chat.Image{"a": {}}, small.Check)),
			`pages["a"]: there is no image: it has neither data nor a url`},
		"within a field": {media.In("page", media.In("scan", media.Check(chat.PDF{}))), "page.scan: there is no PDF: it has neither data nor a url"},
		"an optional":    {media.Optional(nil, small.Check), ""},
	} {
		t.Run(name, func(t *testing.T) {
			said := ""
			if c.err != nil {
				said = c.err.Error()
			}
			if said != c.says {
				t.Errorf("got %q, want %q", said, c.says)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	for name, c := range map[string]struct {
		json string
		want chat.Image
		says string
	}{
		"data":             {`{"type":"image/png","data":"aGk=","name":"a.png"}`, chat.Image{Type: "image/png", Data: []byte("hi"), Name: "a.png"}, ""},
		"a url":            {`{"type":"image/png","url":"https://example.com/a.png"}`, chat.Image{Type: "image/png", URL: "https://example.com/a.png"}, ""},
		"no base64":        {`{"type":"image/png","data":"?"}`, chat.Image{}, "expected bytes in base64"},
		"neither":          {`{"type":"image/png"}`, chat.Image{}, "there is no image"},
		"an unknown one":   {`{"type":"image/png","data":"aGk=","size":2}`, chat.Image{}, `unknown field "size"`},
		"a number":         {`{"type":"image/png","attachment":1}`, chat.Image{}, "there is no media beside the document"},
		"only its size":    {`{"type":"image/png","bytes":1}`, chat.Image{}, "there is no media beside the document"},
		"more than it may": {`{"type":"image/png","data":"aGVsbG8="}`, chat.Image{}, "the image has 5 bytes, want at most 4"},
	} {
		t.Run(name, func(t *testing.T) {
			var got chat.Image
			limits := media.Limits[chat.Image]{Bytes: 4}
			err := codec.UnmarshalString(c.json, codec.Into(&got, limits.Read))
			switch {
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v, want %q", err, c.says)
			case c.says == "" && (err != nil || !reflect.DeepEqual(got, c.want)):
				t.Errorf("got %+v, %v", got, err)
			}
			if c.says != "" {
				return
			}
			if again, err := codec.Marshal(codec.Of(got, limits.Write)); string(again) != c.json && name == "a url" || err != nil {
				t.Errorf("written: %s, %v", again, err)
			}
		})
	}
}

// A document for a model has numbers in place of bytes, and is read back with what is beside it.
func TestAttached(t *testing.T) {
	list := []chat.Image{{Type: "image/png", Data: make([]byte, 1<<20)}, {Type: "image/gif", URL: "https://example.com/a.gif"}}
	var beside []any
	text, err := codec.AppendAttached(nil, codec.OfList(list, media.Write[chat.Image]), func(m any) int {
		beside = append(beside, m)
		return len(beside)
	})
	if want := `[{"type":"image/png","attachment":1},{"type":"image/gif","attachment":2}]`; err != nil || string(text) != want {
		t.Fatalf("got %s, %v", text, err)
	}
	var got []chat.Image
	read := func(v *[]chat.Image, d *codec.Decoder) { codec.ReadList(v, d, media.Read[chat.Image]) }
	err = codec.UnmarshalAttached(string(text), codec.Into(&got, read), func(n int) any { return beside[n-1] })
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("got %d, %v", len(got), err)
	}
	if &got[0].Data[0] != &list[0].Data[0] {
		t.Error("the bytes were copied")
	}
	brief, err := codec.AppendBrief(nil, codec.OfList(list, media.Write[chat.Image]))
	if want := `[{"type":"image/png","bytes":1048576},{"type":"image/gif","url":"https://example.com/a.gif"}]`; err != nil || string(brief) != want {
		t.Errorf("got %s, %v", brief, err)
	}
}

// FuzzJSON holds that what is read is written, and read again alike.
func FuzzJSON(f *testing.F) {
	f.Add(`{"type":"application/pdf","data":"aGk="}`)
	f.Add(`{"url":"https://example.com","name":"a"}`)
	f.Add(`{"type":"application/pdf","attachment":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		var one, two chat.PDF
		if codec.UnmarshalString(text, codec.Into(&one, media.Read[chat.PDF])) != nil {
			return
		}
		written, err := codec.Marshal(codec.Of(one, media.Write[chat.PDF]))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := codec.Unmarshal(written, codec.Into(&two, media.Read[chat.PDF])); err != nil || one.Media().URL != two.URL ||
			string(one.Data) != string(two.Data) || one.Name != two.Name {
			t.Errorf("%s: %s, %v", text, written, err)
		}
	})
}
