package images

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// User is whom a process runs as.
type User struct{ UID, GID int }

// ParseUser reads a user as an image's configuration names it: `user`, `user:group`, each a name or a number.
func ParseUser(text, passwdFile, groupFile string) (User, error) {
	if text == "" {
		return User{}, nil
	}
	name, group, hasGroup := strings.Cut(text, ":")
	var user User
	uid, isNumber := number(name)
	fields := entry(passwdFile, func(fields []string) bool {
		return len(fields) > 3 && (fields[0] == name || isNumber && fields[2] == name)
	})
	switch {
	case isNumber:
		user.UID = uid
	case fields == nil:
		return User{}, fmt.Errorf("user %q is not in %s", name, passwdFile)
	default:
		user.UID, _ = number(fields[2])
	}
	if fields != nil {
		user.GID, _ = number(fields[3])
	}
	if !hasGroup {
		return user, nil
	}
	if gid, ok := number(group); ok {
		user.GID = gid
		return user, nil
	}
	fields = entry(groupFile, func(fields []string) bool { return len(fields) > 2 && fields[0] == group })
	if fields == nil {
		return User{}, fmt.Errorf("group %q is not in %s", group, groupFile)
	}
	user.GID, _ = number(fields[2])
	return user, nil
}

func number(text string) (int, bool) {
	value, err := strconv.Atoi(text)
	return value, err == nil
}

// entry returns the fields of the first line of such a file that is wanted. A file that is not there has no lines.
func entry(file string, wanted func(fields []string) bool) []string {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Split(strings.TrimSpace(line), ":"); wanted(fields) {
			return fields
		}
	}
	return nil
}
