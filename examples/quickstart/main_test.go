// main_test.go runs the example as a user does, on the embedded fake cluster.

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun_EmbeddedFake(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, "", "quickstart"))
	assert.Equal(t, syncRecords, strings.Count(out.String(), "sent and acknowledged: quickstart-"))
	assert.Contains(t, out.String(), "10000 acknowledged, 0 failed")
	assert.Contains(t, out.String(), "read 10003 records back")
}
