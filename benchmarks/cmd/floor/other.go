//go:build !linux && !darwin

// Command floor needs blocking sockets, which it does not know how to make on this system.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "floor: not on this system")
	os.Exit(1)
}
