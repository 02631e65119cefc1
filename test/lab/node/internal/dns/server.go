package dns

import (
	"fmt"
	"net"
)

// Serve answers queries over UDP until the socket cannot be read any more.
func Serve(address string, lookup Lookup) error {
	socket, err := net.ListenPacket("udp", net.JoinHostPort(address, "53"))
	if err != nil {
		return fmt.Errorf("cluster DNS: %w", err)
	}
	defer socket.Close()
	buffer := make([]byte, 1500)
	for {
		size, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return fmt.Errorf("cluster DNS: %w", err)
		}
		if answer := Answer(buffer[:size], lookup); answer != nil {
			// Whoever asked is gone, or asks again.
			_, _ = socket.WriteTo(answer, from)
		}
	}
}
