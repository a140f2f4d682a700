// Package invariants turns checks on that are too dear for production: under -race, or with the
// build tag "invariants".
package invariants
