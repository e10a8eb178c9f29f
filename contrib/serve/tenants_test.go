package serve_test

import (
	"errors"
	"net/http"

	"github.com/graphgen/graphgen/contrib/serve"
)

// byHeader identifies callers by headers, as a test may.
func byHeader(r *http.Request) (serve.Caller, error) {
	if r.Header.Get("Tenant") == "nobody" {
		return serve.Caller{}, errors.New("the token sesame has expired")
	}
	return serve.Caller{Tenant: r.Header.Get("Tenant"), Name: r.Header.Get("Name")}, nil
}
