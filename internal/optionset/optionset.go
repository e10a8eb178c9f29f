// Package optionset names the settings of runs, for the packages that set and use them.
package optionset

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/option"
)

// Settings is what options set.
type Settings = option.Settings[graphgen.Event, graphgen.Hook, graphgen.Report, graphgen.Stopper, graphgen.Budgets]

// Option returns an option of machines and their calls.
func Option(set func(*Settings)) graphgen.Option { return option.ForMachine[Settings](set) }
