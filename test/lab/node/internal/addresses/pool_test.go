package addresses

import (
	"net/netip"
	"testing"
)

func newPool(t *testing.T, cidr string, first uint32) *Pool {
	t.Helper()
	pool, err := NewPool(cidr, first)
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

func get(t *testing.T, pool *Pool) string {
	t.Helper()
	address, err := pool.Get()
	if err != nil {
		t.Fatal(err)
	}
	return address.String()
}

func TestGet(t *testing.T) {
	pool := newPool(t, "10.0.0.9/23", 254)
	// .255 of the first half and .0 of the second are passed over.
	for _, want := range []string{"10.0.0.254", "10.0.1.1", "10.0.1.2"} {
		if got := get(t, pool); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAddressesRestBeforeTheyAreGivenAgain(t *testing.T) {
	pool := newPool(t, "10.0.0.0/29", 1)
	first := get(t, pool)
	pool.Put(netip.MustParseAddr(first))
	if second := get(t, pool); second == first {
		t.Errorf("%s was given again at once", second)
	}
}

func TestAPoolEnds(t *testing.T) {
	pool := newPool(t, "10.0.0.0/30", 1)
	one, two := get(t, pool), get(t, pool)
	if address, err := pool.Get(); err == nil {
		t.Fatalf("got %s, %s and %s of a pool of two", one, two, address)
	}
	pool.Put(netip.MustParseAddr(two))
	if again := get(t, pool); again != two {
		t.Errorf("got %s, want %s, which was given back", again, two)
	}
}

func TestTake(t *testing.T) {
	pool := newPool(t, "10.0.0.0/24", 1)
	wanted := netip.MustParseAddr("10.0.0.1")
	if !pool.Take(wanted) {
		t.Error("a free address was refused")
	}
	if pool.Take(wanted) {
		t.Error("an address was given twice")
	}
	if pool.Take(netip.MustParseAddr("10.0.1.1")) {
		t.Error("an address of another network was given")
	}
	if got := get(t, pool); got == wanted.String() {
		t.Error("an address that somebody took was given again")
	}
}

func TestNewPoolRefuses(t *testing.T) {
	for _, cidr := range []string{"", "10.0.0.0", "fd00::/64"} {
		if _, err := NewPool(cidr, 1); err == nil {
			t.Errorf("%q was accepted", cidr)
		}
	}
}
