// Package optiontable tests every option in every place where options are given.
package optiontable

//go:generate go run ../../../cmd/graphgen
