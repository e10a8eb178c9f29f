// Package decimal writes floating-point numbers for JSON and for texts.
package decimal

import (
	"math"
	"strconv"
)

// Append appends a number as ECMAScript, and so RFC 8785, has it: as short as it can be, with an exponent below 1e-6 and
// from 1e21 on. NaN and the infinities, which JSON has not, are as package strconv has them.
func Append(text []byte, f float64) []byte {
	size := math.Abs(f)
	if size == 0 || !(size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(text, f, 'f', -1, 64)
	}
	text = strconv.AppendFloat(text, f, 'e', -1, 64)
	if n := len(text); text[n-4] == 'e' && text[n-2] == '0' {
		text[n-2] = text[n-1]
		text = text[:n-1]
	}
	return text
}
