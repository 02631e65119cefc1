// Package sandbox gives a pod its network: a namespace, an address and the routes to and from it.
package sandbox

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// Sandbox is the network namespace of a pod, which lives as long as a process in it.
type Sandbox struct {
	process *os.Process
	link    string
}

// New makes the namespace and connects it: a pair of virtual interfaces, a route to the pod's address on this side, and the
// node's address as the gateway on the other. There is no bridge: packets between pods always pass the node's own tables,
// where kube-proxy translates addresses.
func New(podUID string, address, gateway netip.Addr) (*Sandbox, error) {
	// Nothing that could be smaller: 2 MiB, where this program takes ten times as much.
	holder := exec.Command("/bin/sleep", "infinity")
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Setsid: true}
	if err := holder.Start(); err != nil {
		return nil, err
	}
	go func() { _ = holder.Wait() }()
	s := &Sandbox{process: holder.Process, link: linkName(podUID)}
	if err := s.connect(address, gateway); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// NetworkNamespace is the path by which processes join it.
func (s *Sandbox) NetworkNamespace() string { return fmt.Sprintf("/proc/%d/ns/net", s.process.Pid) }

// Close ends the namespace once the last process in it has ended.
func (s *Sandbox) Close() {
	if link, err := netlink.LinkByName(s.link); err == nil {
		_ = netlink.LinkDel(link)
	}
	_ = s.process.Kill()
}

// linkName fits into the 15 characters that an interface's name may have.
func linkName(podUID string) string {
	hex := strings.ReplaceAll(podUID, "-", "")
	return "v" + hex[:min(len(hex), 12)]
}

func (s *Sandbox) connect(address, gateway netip.Addr) error {
	pair := &netlink.Veth{
		LinkAttrs: netlink.LinkAttrs{Name: s.link}, PeerName: "eth0", PeerNamespace: netlink.NsPid(s.process.Pid),
	}
	if err := netlink.LinkAdd(pair); err != nil {
		return fmt.Errorf("pair of interfaces: %w", err)
	}
	outside, err := netlink.LinkByName(s.link)
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(outside); err != nil {
		return err
	}
	if err := s.configureInside(address, gateway); err != nil {
		return err
	}
	route := &netlink.Route{
		LinkIndex: outside.Attrs().Index, Scope: netlink.SCOPE_LINK, Src: gateway.AsSlice(), Dst: host(address),
	}
	if err := netlink.RouteReplace(route); err != nil {
		return fmt.Errorf("route to the pod: %w", err)
	}
	return nil
}

func (s *Sandbox) configureInside(address, gateway netip.Addr) error {
	namespace, err := netns.GetFromPid(s.process.Pid)
	if err != nil {
		return err
	}
	defer namespace.Close()
	inside, err := netlink.NewHandleAt(namespace)
	if err != nil {
		return err
	}
	defer inside.Close()
	loopback, err := inside.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := inside.LinkSetUp(loopback); err != nil {
		return err
	}
	link, err := inside.LinkByName("eth0")
	if err != nil {
		return err
	}
	if err := inside.AddrAdd(link, &netlink.Addr{IPNet: host(address)}); err != nil {
		return err
	}
	if err := inside.LinkSetUp(link); err != nil {
		return err
	}
	index := link.Attrs().Index
	if err := inside.RouteAdd(&netlink.Route{LinkIndex: index, Scope: netlink.SCOPE_LINK, Dst: host(gateway)}); err != nil {
		return fmt.Errorf("route to the gateway: %w", err)
	}
	if err := inside.RouteAdd(&netlink.Route{LinkIndex: index, Gw: gateway.AsSlice()}); err != nil {
		return fmt.Errorf("default route: %w", err)
	}
	return nil
}

func host(address netip.Addr) *net.IPNet {
	return &net.IPNet{IP: address.AsSlice(), Mask: net.CIDRMask(address.BitLen(), address.BitLen())}
}
