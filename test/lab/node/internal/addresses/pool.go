// Package addresses hands out IPv4 addresses of a range.
package addresses

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"sync"
)

// Pool is a range of IPv4 addresses of which each is had by one holder at a time.
type Pool struct {
	mu      sync.Mutex
	network netip.Prefix
	first   uint32
	next    uint32
	taken   map[netip.Addr]bool
}

// NewPool returns the pool of a network without its first addresses, which are left to others.
func NewPool(cidr string, first uint32) (*Pool, error) {
	network, err := netip.ParsePrefix(cidr)
	if err != nil {
		return nil, err
	}
	if !network.Addr().Is4() {
		return nil, fmt.Errorf("%s is no IPv4 network", cidr)
	}
	return &Pool{network: network.Masked(), first: first, next: first, taken: map[netip.Addr]bool{}}, nil
}

// Get takes any free address: the one after the last, so that an address that was given back rests for as long as possible.
func (p *Pool) Get() (netip.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.size() {
		address := p.at(p.next)
		p.next++
		if p.next >= p.size()-1 {
			p.next = p.first
		}
		last := address.As4()[3]
		// Some software takes these for the addresses of networks and of broadcasts.
		if last == 0 || last == 255 || p.taken[address] {
			continue
		}
		p.taken[address] = true
		return address, nil
	}
	return netip.Addr{}, fmt.Errorf("no address is free in %s", p.network)
}

// Take takes a certain address, and says whether it could be had.
func (p *Pool) Take(address netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.network.Contains(address) || p.taken[address] {
		return false
	}
	p.taken[address] = true
	return true
}

// Put gives an address back.
func (p *Pool) Put(address netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, address)
}

func (p *Pool) size() uint32 { return 1 << (32 - p.network.Bits()) }

func (p *Pool) at(offset uint32) netip.Addr {
	base := p.network.Addr().As4()
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], binary.BigEndian.Uint32(base[:])+offset)
	return netip.AddrFrom4(bytes)
}
