// Package archtest holds the house rules that a compiler does not know, as
// tests over the source: which room may import which, how long files and
// functions get, no global state, no sleeping tests, every guarded field
// marked, every exported name documented. It exports nothing.
package archtest
