package container

import (
	"slices"
	"strings"
)

// In the order of their numbers: https://man7.org/linux/man-pages/man7/capabilities.7.html
var capabilities = strings.Fields(`
	CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE
	NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN
	SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE
	MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE`)

// Container runtimes give these unless told otherwise.
var defaultCapabilities = strings.Fields(`
	CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_RAW SYS_CHROOT MKNOD AUDIT_WRITE SETFCAP`)

// DropCapabilities returns the numbers of the capabilities that a container has not, by what its pod says of them.
func DropCapabilities(add, drop []string) []int {
	kept := slices.Clone(defaultCapabilities)
	if slices.Contains(drop, "ALL") {
		kept = nil
	}
	kept = slices.DeleteFunc(kept, func(name string) bool { return slices.Contains(drop, name) })
	if slices.Contains(add, "ALL") {
		kept = slices.Clone(capabilities)
	}
	kept = append(kept, add...)
	var numbers []int
	for number, name := range capabilities {
		if !slices.Contains(kept, name) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}
