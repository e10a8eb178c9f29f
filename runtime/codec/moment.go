package codec

import (
	"encoding/base64"
	"strings"
	"time"
)

// ReadTime reads an instant, a string as of RFC 3339.
func ReadTime(v *time.Time, d *Decoder) {
	var s string
	if ReadString(&s, d); d.wrong != nil {
		return
	}
	if !isDateTime(s) {
		d.Fail(quoted(s) + " " + DateTime.otherwise)
		return
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	if err != nil { // a leap second, which time.Time does not have
		d.Fail(quoted(s) + " is no time that package time knows")
		return
	}
	*v = t
}

// WriteTime writes an instant. One whose year or zone RFC 3339 cannot say is an error.
func WriteTime(v time.Time, e *Encoder) {
	buf, err := v.AppendText(append(e.buf, '"'))
	if err != nil {
		e.Fail("the time has a year or a zone that RFC 3339 does not have")
		return
	}
	e.buf = append(buf, '"')
}

// ReadDuration reads a span of time, a string such as "1h30m".
func ReadDuration(v *time.Duration, d *Decoder) {
	var s string
	if ReadString(&s, d); d.wrong != nil {
		return
	}
	span, err := time.ParseDuration(s)
	if err != nil {
		d.Fail(quoted(s) + ` is no duration such as "1h30m", or one out of range`)
		return
	}
	*v = span
}

// WriteDuration writes a span of time.
func WriteDuration(v time.Duration, e *Encoder) { e.text(v.String()) }

// ReadBytes reads bytes, a string in base64 with padding. They are never nil after that.
func ReadBytes(v *[]byte, d *Decoder) {
	var s string
	if ReadString(&s, d); d.wrong != nil {
		return
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		d.Fail("expected bytes in base64, found " + quoted(s))
		return
	}
	*v = data
}

// WriteBytes writes bytes; nil becomes the empty text.
func WriteBytes(v []byte, e *Encoder) {
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, v)
	e.buf = append(e.buf, '"')
}
