package harness

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
)

// payload.go owns what is sent. It is made before anything is measured, and the same in every run.

// poolSize is how many different keys and values there are; a power of two.
const poolSize = 1024

// Values makes a pool of values of n bytes: words and numbers that compress to a half or a third.
func Values(n int) [][]byte { return pool(n, 42) }

// Keys makes a pool of different keys of n bytes, or of null keys if n is 0.
func Keys(n int) [][]byte {
	if n == 0 {
		return make([][]byte, poolSize)
	}
	keys := pool(n, 43)
	for i, k := range keys { // short keys would repeat
		copy(k, fmt.Sprintf("%04d", i))
	}
	return keys
}

func pool(n int, seed int64) [][]byte {
	words := strings.Fields("user order price quantity status active pending timestamp region eu-west us-east click view cart item session")
	rng := rand.New(rand.NewSource(seed))
	all := make([][]byte, poolSize)
	for i := range all {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "%s=%s,", words[rng.Intn(len(words))], strconv.FormatInt(rng.Int63n(1<<40), 36))
		}
		all[i] = []byte(b.String()[:n])
	}
	return all
}
