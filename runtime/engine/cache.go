package engine

import (
	"maps"
	"slices"

	"github.com/graphgen/graphgen"
)

// cacheLength is how many results of cacheable nodes a run keeps; the oldest goes first.
const cacheLength = 128

// A Cache holds the results of a run's cacheable nodes. The zero Cache is empty and ready.
type Cache struct {
	results map[cacheKey]any
	order   []cacheKey
}

type cacheKey struct {
	node NodeID
	key  string
}

// Branch returns the cache for a branch. Other branches do not see its entries.
func (c *Cache) Branch() Cache {
	return Cache{results: maps.Clone(c.results), order: slices.Clip(c.order)}
}

// Join adds the entries of a branch whose result counts. Concurrent siblings do not share entries,
// so that hits do not depend on the schedule.
func (c *Cache) Join(branch *Cache) {
	for _, k := range branch.order {
		if _, ok := c.results[k]; !ok {
			c.keep(k, branch.results[k])
		}
	}
}

// Cached returns the output that a node had for a key earlier in the run.
func Cached[T any](r *Run, c *Cache, node NodeID, key string) (T, bool) {
	v, ok := c.results[cacheKey{node, key}].(T)
	if !ok {
		return v, false
	}
	r.tally().CacheHits++
	r.more.make().Cached = true
	r.path.requireSlowStep()
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.CacheHit, Node: r.Graph().NodeName(node)})
	}
	return v, true
}

// Each calls do with each result of a node, the oldest first.
func (c *Cache) Each(node NodeID, do func(key string, value any)) {
	for _, k := range c.order {
		if k.node == node {
			do(k.key, c.results[k])
		}
	}
}

// Keep stores the output of a node for a key. A value without JSON has no key.
func (c *Cache) Keep(node NodeID, key string, value any) {
	if key == "" {
		return
	}
	c.keep(cacheKey{node, key}, value)
}

func (c *Cache) keep(k cacheKey, value any) {
	if c.results == nil {
		c.results = make(map[cacheKey]any)
	}
	if _, ok := c.results[k]; !ok {
		if len(c.order) == cacheLength {
			delete(c.results, c.order[0])
			c.order = c.order[1:]
		}
		c.order = append(c.order, k)
	}
	c.results[k] = value
}
