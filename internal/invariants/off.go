//go:build !race && !invariants

package invariants

// Enabled is true in builds with the race detector or the tag "invariants".
const Enabled = false
