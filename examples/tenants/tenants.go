// Package tenants answers customers of several companies, each from the orders of its own. It shows
// a private field: the company comes from the input of a run, tools and guards are given it, and a
// model neither sees nor chooses it. A tool with an argument for it does not compile.
package tenants

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

// Orders are the orders of all companies: a folder for each company, a file for each order.
type Orders struct{ Files fs.FS }

// of returns the orders of one company. All that the tools read goes through it.
func (o Orders) of(tenant string) (fs.FS, error) {
	if tenant == "" || strings.ContainsAny(tenant, "./") {
		return nil, errors.New("there is no such company")
	}
	return fs.Sub(o.Files, tenant)
}

// ListOrders lists the orders of the tenant.
func (o Orders) ListOrders(_ context.Context, in TenantsListOrdersIn) ([]string, error) {
	own, err := o.of(in.Tenant)
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(own, "*.txt")
	for i, name := range files {
		files[i] = strings.TrimSuffix(name, ".txt")
	}
	return files, err
}

// ReadOrder reads an order of the tenant. One of another company is not there.
func (o Orders) ReadOrder(_ context.Context, in TenantsReadOrderIn, args TenantsReadOrderArgs) (string, error) {
	own, err := o.of(in.Tenant)
	if err != nil {
		return "", err
	}
	text, err := fs.ReadFile(own, args.Number+".txt")
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there is no order " + args.Number)
	}
	return string(text), err
}

// OwnOrders is the guard of an answer: the orders that it rests on belong to the tenant.
func (o Orders) OwnOrders(ctx context.Context, in TenantsOwnOrdersIn, out Answer) error {
	for _, number := range out.Sources {
		if _, err := o.ReadOrder(ctx, TenantsReadOrderIn(in), TenantsReadOrderArgs{Number: number}); err != nil {
			return graphgen.Reject(err.Error())
		}
	}
	return nil
}
