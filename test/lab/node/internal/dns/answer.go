// Package dns is the DNS server of the cluster: addresses of Services, nothing else.
package dns

import (
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// Lookup returns the addresses of a lower-case name that ends with a dot, and whether there is such a name.
type Lookup func(name string) ([]netip.Addr, bool)

// Short, as the addresses of headless Services follow their pods.
const ttlSeconds = 5

// Answer answers a message with one question. It returns nothing for what is no such message.
func Answer(query []byte, lookup Lookup) []byte {
	var asked dnsmessage.Message
	if asked.Unpack(query) != nil || len(asked.Questions) != 1 || asked.Response {
		return nil
	}
	question := asked.Questions[0]
	answer := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: asked.ID, Response: true, Authoritative: true,
			RecursionDesired: asked.RecursionDesired, RecursionAvailable: true,
		},
		Questions: asked.Questions,
	}
	found, exists := lookup(strings.ToLower(question.Name.String()))
	if !exists {
		answer.RCode = dnsmessage.RCodeNameError
	}
	// A name without addresses of the kind that is asked for (AAAA) is answered by an empty list, not by an error: the name exists.
	if question.Type == dnsmessage.TypeA {
		for _, address := range found {
			answer.Answers = append(answer.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET, TTL: ttlSeconds},
				Body:   &dnsmessage.AResource{A: address.As4()},
			})
		}
	}
	packed, err := answer.Pack()
	if err != nil {
		return nil
	}
	return packed
}
