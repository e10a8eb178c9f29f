package codec

import (
	v1 "encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A document of about 2 KB: five findings with everything in them.
var document = []byte(`{"topic":"t","findings":[` + strings.Repeat(full+`,`, 4) + full + `]}`)

func BenchmarkDecode(b *testing.B) {
	b.Run("generated", func(b *testing.B) {
		b.SetBytes(int64(len(document)))
		b.ReportAllocs()
		for b.Loop() {
			var v SurveyState
			if err := codec.Unmarshal(document, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(document)))
		b.ReportAllocs()
		for b.Loop() {
			var v reflected
			if err := v1.Unmarshal(document, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json-v2", func(b *testing.B) {
		b.SetBytes(int64(len(document)))
		b.ReportAllocs()
		for b.Loop() {
			var v reflected
			if err := json.Unmarshal(document, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	var v SurveyState
	var r reflected
	if err := codec.Unmarshal(document, &v); err != nil {
		b.Fatal(err)
	}
	if err := v1.Unmarshal(document, &r); err != nil {
		b.Fatal(err)
	}
	b.Run("generated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.Marshal(&v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := v1.Marshal(&r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The same data as encoding/json takes it, by reflection.
type (
	reflected struct {
		Topic    string             `json:"topic"`
		Findings []reflectedFinding `json:"findings"`
	}
	reflectedPlace struct {
		File string `json:"file"`
		Line int    `json:"line"`
	}
	reflectedFinding struct {
		Severity     string                      `json:"severity"`
		Message      string                      `json:"message"`
		Confidence   float64                     `json:"confidence"`
		Score        int                         `json:"score"`
		Rank         *int                        `json:"rank"`
		Place        *reflectedPlace             `json:"place"`
		Also         []reflectedPlace            `json:"also"`
		Tags         []string                    `json:"tags"`
		Matrix       [][]float64                 `json:"matrix"`
		Counts       map[string]int              `json:"counts"`
		ByFile       map[string][]reflectedPlace `json:"by_file"`
		Votes        []*bool                     `json:"votes"`
		Alternatives *[]string                   `json:"alternatives"`
		Resolved     bool                        `json:"resolved"`
		Kind         string                      `json:"kind"`
	}
)
