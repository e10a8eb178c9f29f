package chat

// Media is an image or a file by reference, or its bytes. Values share the bytes: what Data holds is
// never changed.
type Media struct {
	Type string // MIME: image/png, application/pdf
	URL  string // where it is: https, or what else the provider takes; empty: Data
	Data []byte
	Name string // of a file; may be empty
}

// The kinds of media that a graph has in its state. They differ as Go types, so that none can take
// the place of another.
type (
	// Image is a picture. Its Type begins with image/.
	Image Media
	// PDF is a document. Its Type is application/pdf, or empty.
	PDF Media
	// Audio is a sound. Its Type begins with audio/.
	Audio Media
)

// TypePDF is the MIME type of a PDF.
const TypePDF = "application/pdf"

// Media returns the image for a message.
func (m Image) Media() Media { return Media(m) }

// Media returns the document for a message.
func (m PDF) Media() Media {
	if m.Type == "" {
		m.Type = TypePDF
	}
	return Media(m)
}

// Media returns the sound for a message.
func (m Audio) Media() Media { return Media(m) }

// IsZero reports whether the image is missing: it has neither bytes nor a URL.
func (m Image) IsZero() bool { return Media(m).IsZero() }

// IsZero reports whether the document is missing: it has neither bytes nor a URL.
func (m PDF) IsZero() bool { return Media(m).IsZero() }

// IsZero reports whether the sound is missing: it has neither bytes nor a URL.
func (m Audio) IsZero() bool { return Media(m).IsZero() }

// Size returns the number of bytes, 0 where the image is at a URL.
func (m Image) Size() int { return len(m.Data) }

// Size returns the number of bytes, 0 where the document is at a URL.
func (m PDF) Size() int { return len(m.Data) }

// Size returns the number of bytes, 0 where the sound is at a URL.
func (m Audio) Size() int { return len(m.Data) }

// IsZero reports whether there are neither bytes nor a URL.
func (m Media) IsZero() bool { return len(m.Data) == 0 && m.URL == "" }

// The estimate of tokens. An image is scaled down by every provider, so its bytes do not count.
const (
	imageTokens    = 1_600   // what the largest image takes that is not cut into tiles
	pageTokens     = 2_000   // the text of a page, and its picture
	pageBytes      = 100_000 // of a PDF
	farPages       = 10      // of a PDF at a URL
	audioBytes     = 500     // for each token: 128 kbit/s, 32 tokens a second
	farAudioTokens = 2_000   // a minute of sound at a URL
)

// Tokens estimates how many tokens of a request the media takes. It counts an image as 1,600, a PDF
// as 2,000 for every 100 kB begun, and a sound as one for every 500 bytes. What is at a URL counts as
// a PDF of ten pages, or a minute of sound.
func (m *Media) Tokens() int {
	far := len(m.Data) == 0
	switch {
	case m.IsZero():
		return 0
	case len(m.Type) >= 6 && m.Type[:6] == "audio/" && far:
		return farAudioTokens
	case len(m.Type) >= 6 && m.Type[:6] == "audio/":
		return (len(m.Data) + audioBytes - 1) / audioBytes
	case m.Type == TypePDF && far:
		return farPages * pageTokens
	case m.Type == TypePDF:
		return (len(m.Data) + pageBytes - 1) / pageBytes * pageTokens
	}
	return imageTokens
}
