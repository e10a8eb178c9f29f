package picture

import (
	"math"
	"strconv"
	"testing"
)

// TestContrasts holds that texts have a contrast of 4.5 to 1 with what they are on, and lines and forms one of 3 to 1.
func TestContrasts(t *testing.T) {
	for _, theme := range []Theme{Light, Dark} {
		for r := role(0); r < numRoles; r++ {
			least := 4.5
			switch r {
			case ground, card, regionGround:
				continue
			case regionBorder, lines:
				least = 3
			}
			for _, on := range []role{ground, card, regionGround} {
				if c := contrast(theme.color(r), theme.color(on)); c < least {
					t.Errorf("theme %d: %s on %s has the contrast %.2f, want %g", theme, palette[r].class, palette[on].class, c, least)
				}
			}
		}
	}
}

// contrast returns the contrast of two colors, as WCAG 2.2 defines it.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(color string) (l float64) {
	n, err := strconv.ParseUint(color[1:], 16, 32)
	if err != nil {
		return math.NaN()
	}
	for k, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(n>>(8*k)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}
