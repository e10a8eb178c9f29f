// Package scc finds the strongly connected components of directed graphs. Nodes are numbers from 0,
// and next lists the successors of each.
package scc

import (
	"cmp"
	"slices"
)

// Cycles returns the components with a cycle, which includes a node that leads to itself. The nodes
// of each are in order, and the components in the order of their first nodes.
func Cycles(next [][]int) [][]int {
	members := make([][]int, len(next))
	for n, c := range Components(next, nil) {
		members[c] = append(members[c], n)
	}
	cycles := slices.DeleteFunc(members, func(nodes []int) bool {
		return len(nodes) == 0 || len(nodes) == 1 && !slices.Contains(next[nodes[0]], nodes[0])
	})
	slices.SortFunc(cycles, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return cycles
}

// Components returns the number of the strongly connected component of each node, in the graph
// without the excluded nodes, which get -1 (Tarjan, without recursion). A component has a lower
// number than those that lead to it.
func Components(next [][]int, without []bool) []int {
	const unseen = -1
	n := len(next)
	index, low, component := make([]int, n), make([]int, n), make([]int, n)
	for i := range index {
		index[i], component[i] = unseen, unseen
	}
	type frame struct{ node, edge int }
	var stack []int
	var calls []frame
	count, found := 0, 0
	for root := range next {
		if index[root] != unseen || without != nil && without[root] {
			continue
		}
		calls = append(calls, frame{root, 0})
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.node
			if f.edge == 0 {
				index[v], low[v] = count, count
				count++
				stack = append(stack, v)
			}
			if f.edge < len(next[v]) {
				w := next[v][f.edge]
				f.edge++
				switch {
				case without != nil && without[w]:
				case index[w] == unseen:
					calls = append(calls, frame{w, 0})
				case component[w] == unseen:
					low[v] = min(low[v], index[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				component[w] = found
				if w == v {
					break
				}
			}
			found++
		}
	}
	return component
}
