// Package serve serves machines over HTTP.
package serve
