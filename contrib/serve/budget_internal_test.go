package serve

import "testing"

// TestTenantOf holds that a thread counts for the tenant whose clients name it, and one that a program has named for none.
func TestTenantOf(t *testing.T) {
	for name, want := range map[string]struct {
		tenant string
		ok     bool
	}{
		"t/a": {"t", true}, "t/a/b": {"t", true}, "a%2Fb/c": {"a/b", true}, "t": {}, "t%2Fa": {}, "%zz/a": {},
	} {
		tenant, ok := new(Handler).tenantOf(name)
		if ok != want.ok || ok && tenant != want.tenant {
			t.Errorf("%q: %q, %v", name, tenant, ok)
		}
		if tenant, ok := (&Handler{o: Options{Shared: true}}).tenantOf(name); tenant != "" || !ok {
			t.Errorf("%q of a shared server: %q, %v", name, tenant, ok)
		}
	}
	h := &Handler{}
	for _, tenant := range []string{"t", "a/b", "ü%", "a b"} {
		if got, ok := h.tenantOf(h.space(Caller{Tenant: tenant}) + "thread"); got != tenant || !ok {
			t.Errorf("%q is %q, %v", tenant, got, ok)
		}
	}
}
