// Package v1 has one type of each sort that codegen cannot take.
//
// +groupName=types.example.com
package v1

import (
	"net/netip"
	"time"
)

// Thing has fields without a form in JSON that is known.
type Thing struct {
	Untagged string
	Keyed    map[int]string `json:"keyed"`
	Foreign  netip.AddrPort `json:"foreign"`
	Plain    time.Duration  `json:"plain"`
	Inline   struct{}       `json:"inlined"`
}

// Shy has a JSON form of its own.
type Shy struct{}

// MarshalJSON makes it.
func (Shy) MarshalJSON() ([]byte, error) { return nil, nil }
