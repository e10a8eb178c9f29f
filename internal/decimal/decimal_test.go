package decimal

import "testing"

func TestAppend(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1.5: "1.5", 1500000.5: "1500000.5", 544810060: "544810060", -0.00005: "-0.00005", 1e20: "100000000000000000000",
		1e21: "1e+21", 2.5e-7: "2.5e-7", -1e-12: "-1e-12",
	} {
		if got := string(Append(nil, f)); got != want {
			t.Errorf("%g is %s, want %s", f, got, want)
		}
	}
}
