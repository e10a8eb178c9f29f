package codec

import (
	"strings"
	"time"
)

// The formats of strings, by the names that JSON Schema has for them.
var (
	DateTime = Matcher{"is no time as of RFC 3339, such as 2026-01-31T12:00:00Z", isDateTime}
	Date     = Matcher{"is no date such as 2026-01-31", isDate}
	Clock    = Matcher{"is no time of day as of RFC 3339, such as 12:00:00Z", isClock}
	Email    = Matcher{"is no email address", isEmail}
	Hostname = Matcher{"is no host name", isHostname}
	IPv4     = Matcher{"is no IPv4 address", isIPv4}
	IPv6     = Matcher{"is no IPv6 address", isIPv6}
	URI      = Matcher{"is no URI with a scheme", isURI}
	UUID     = Matcher{"is no UUID", isUUID}
)

// isDateTime reports whether s is a date-time of RFC 3339, section 5.6: leap seconds are times,
// and t and z may replace T and Z.
func isDateTime(s string) bool {
	return len(s) > 11 && isDate(s[:10]) && s[10]|' ' == 't' && isClock(s[11:])
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isClock(s string) bool {
	if len(s) < len("00:00:00Z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := two(s), two(s[3:]), two(s[6:])
	if hour > 23 || minute > 59 || second > 60 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		fraction := s[1:]
		s = strings.TrimLeft(fraction, "0123456789")
		if len(s) == len(fraction) || s == "" {
			return false
		}
	}
	east := 0 // of Greenwich, in minutes
	if s != "z" && s != "Z" {
		if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' || two(s[1:]) > 23 || two(s[4:]) > 59 {
			return false
		}
		if east = 60*two(s[1:]) + two(s[4:]); s[0] == '-' {
			east = -east
		}
	}
	const day = 24 * 60
	return second < 60 || (60*hour+minute-east+day)%day == day-1 // leap seconds end a day of UTC
}

// two returns the number of the two digits at the start of s, and one too great for any
// part of a time if they are none.
func two(s string) int {
	if s[0]-'0' > 9 || s[1]-'0' > 9 {
		return 100
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

func isLetter(c byte) bool { return c|' '-'a' < 26 }
func isDigit(c byte) bool  { return c-'0' < 10 }
func isHex(c byte) bool    { return isDigit(c) || c|' '-'a' < 6 }

// only reports whether every byte of s is a letter, a digit, or one of more.
func only(s, more string) bool {
	for _, c := range []byte(s) {
		if !isLetter(c) && !isDigit(c) && strings.IndexByte(more, c) < 0 {
			return false
		}
	}
	return true
}

// isEmail reports whether s is an address of RFC 5321: a mailbox, which may be quoted, and a host.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return false
	}
	box, host := s[:at], s[at+1:]
	if quoted := len(box) > 1 && box[0] == '"' && box[len(box)-1] == '"'; quoted {
		if strings.ContainsAny(box[1:len(box)-1], "\\\"") {
			return false
		}
	} else if box[0] == '.' || box[len(box)-1] == '.' || strings.Contains(box, "..") || !only(box, ".!#$%&'*+-/=?^_`{|}~") {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if v6, is6 := strings.CutPrefix(inner, "IPv6:"); is6 {
			return ok && isIPv6(v6)
		}
		return ok && isIPv4(inner)
	}
	return isHostname(host)
}

// isHostname is as of RFC 1123. A dot at the end is the root.
func isHostname(s string) bool {
	if s = strings.TrimSuffix(s, "."); len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || !only(label, "-") {
			return false
		}
	}
	return true
}

// isIPv4 is as of RFC 2673, section 3.2: four numbers up to 255, without leading zeros. (The
// package net/netip would do, but brings caches along that no small program wants.)
func isIPv4(s string) bool {
	parts := 0
	for part := range strings.SplitSeq(s, ".") {
		n, digits := 0, len(part)
		if digits == 0 || digits > 3 || digits > 1 && part[0] == '0' {
			return false
		}
		for i := range digits {
			if part[i] < '0' || part[i] > '9' {
				return false
			}
			n = 10*n + int(part[i]-'0')
		}
		if parts++; n > 255 {
			return false
		}
	}
	return parts == 4
}

// isIPv6 reports whether s is an address of RFC 4291, section 2.2: eight groups of hexadecimal
// digits. One :: replaces one or more groups that are zero, and an IPv4 address may replace the last two.
func isIPv6(s string) bool {
	before, after, short := strings.Cut(s, "::")
	front, ok := groups(before, !short)
	if !ok {
		return false
	}
	if !short {
		return front == 8
	}
	back, ok := groups(after, true)
	return ok && front+back < 8
}

// groups counts the groups of a part of an IPv6 address. The last part may end as an IPv4
// address, which counts for two.
func groups(s string, last bool) (count int, ok bool) {
	if s == "" {
		return 0, true
	}
	for more := true; more; count++ {
		var group string
		if group, s, more = strings.Cut(s, ":"); !more && last && strings.Contains(group, ".") {
			return count + 2, isIPv4(group)
		}
		if len(group) == 0 || len(group) > 4 || strings.Trim(group, "0123456789abcdefABCDEF") != "" {
			return 0, false
		}
	}
	return count, true
}

// isURI is as of RFC 3986, section 3, with a scheme.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) || !only(scheme, "+-.") {
		return false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	const segment = "-._~!$&'()*+,;=:@/"
	if !escapedOnly(fragment, segment+"?") || !escapedOnly(query, segment+"?") {
		return false
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host := after
		if slash := strings.IndexByte(after, '/'); slash >= 0 {
			host, rest = after[:slash], after[slash:]
		} else {
			rest = ""
		}
		if !isAuthority(host) {
			return false
		}
	}
	return escapedOnly(rest, segment)
}

// isAuthority is the part of a URI between // and its path.
func isAuthority(s string) bool {
	const plain = "-._~!$&'()*+,;="
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		if !escapedOnly(s[:at], plain+":") {
			return false
		}
		s = s[at+1:]
	}
	port := ""
	if inner, ok := strings.CutPrefix(s, "["); ok {
		address, behind, closed := strings.Cut(inner, "]")
		if !closed || !isIPv6(address) || behind != "" && behind[0] != ':' {
			return false
		}
		port = strings.TrimPrefix(behind, ":")
	} else {
		s, port, _ = strings.Cut(s, ":")
		if !escapedOnly(s, plain) {
			return false
		}
	}
	return strings.Trim(port, "0123456789") == ""
}

// escapedOnly reports whether s has only letters, digits, the bytes of more, and bytes
// written as % and two hexadecimal digits.
func escapedOnly(s, more string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 2
		} else if !only(s[i:i+1], more) {
			return false
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	for i, c := range []byte(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isHex(c) {
			return false
		}
	}
	return true
}
