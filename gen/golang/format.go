package golang

import (
	"bytes"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
)

// partBytes is how many bytes of a file are formatted at a time, or the next declaration if it has more.
const partBytes = 256 << 10

// formatted formats a file, some declarations at a time: each part has at least so many bytes, except for the last. The result is
// as if the whole file was formatted at a time.
func formatted(source []byte, least int) ([]byte, error) {
	var out bytes.Buffer
	from := 0
	for _, end := range append(gaps(source, least), len(source)) {
		part, err := format.Source(bytes.TrimSpace(source[from:end]))
		if err != nil {
			return nil, fmt.Errorf("format: %w\n%s", err, source[from:end])
		}
		if from > 0 {
			out.WriteString("\n\n")
		}
		out.Write(bytes.TrimRight(part, "\n"))
		from = end
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// gaps returns where a file can be cut: at blank lines between declarations, which are at least so many bytes apart.
func gaps(source []byte, least int) (list []int) {
	if len(source) <= least {
		return nil
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, scanner.ScanComments)
	depth, from, ended, declared := 0, 0, -1, false
	for {
		pos, tok, _ := s.Scan()
		at := file.Offset(pos)
		if ended >= 0 && declared && at-from >= least && bytes.Count(source[ended:at], []byte("\n")) > 1 {
			list, from = append(list, at), at
		}
		ended = -1
		switch tok {
		case token.EOF:
			return list
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.FUNC, token.VAR, token.CONST, token.TYPE:
			declared = true // the imports are formatted with the first declaration
		case token.SEMICOLON:
			if depth == 0 {
				ended = at
			}
		}
	}
}
