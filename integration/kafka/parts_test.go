// parts_test.go is about what needs no node: it runs everywhere.

package kafka

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseDump_CountsAndFindsWhatIsInvalid(t *testing.T) {
	const good = `Dumping /data/t-0/00000000000000000000.log
Log starting offset: 0
baseOffset: 0 lastOffset: 1 count: 2 baseSequence: 0 position: 0 size: 84 magic: 2 compresscodec: none crc: 1 isvalid: true
| offset: 0 CreateTime: 1 keySize: 1 valueSize: 1 sequence: 0 headerKeys: []
| offset: 1 CreateTime: 1 keySize: -1 valueSize: 1 sequence: 1 headerKeys: []
`
	const bad = `baseOffset: 2 lastOffset: 2 count: 1 baseSequence: 2 position: 84 size: 70 magic: 2 compresscodec: none crc: 2 isvalid: false
`
	d, err := parseDump(strings.NewReader(good))
	require.NoError(t, err)
	assert.Equal(t, Dump{Batches: 1, Records: 2, Counted: 2, Codecs: map[string]int{"none": 1}}, d)

	d, err = parseDump(strings.NewReader(good + bad))
	require.NoError(t, err)
	assert.Equal(t, Dump{Batches: 2, Records: 2, Counted: 3, Invalid: []string{strings.TrimSpace(bad)}, Codecs: map[string]int{"none": 2}}, d)

	d, err = parseDump(strings.NewReader(good + "Found 17 invalid bytes at the end of 0.log\n"))
	require.NoError(t, err)
	assert.Len(t, d.Invalid, 1)

	const old = `Starting offset: 0
offset: 0 position: 0 CreateTime: 1 isvalid: true keysize: 1 valuesize: 1 magic: 2 compresscodec: GZIP sequence: 0 headerKeys: []
offset: 1 position: 0 CreateTime: 1 isvalid: false keysize: 1 valuesize: 1 magic: 2 compresscodec: GZIP sequence: 1 headerKeys: []
`
	d, err = parseDump(strings.NewReader(old))
	require.NoError(t, err)
	assert.Equal(t, 2, d.Records)
	assert.Len(t, d.Invalid, 1)

	_, err = parseDump(strings.NewReader("baseOffset: 0 isvalid: true\n"))
	assert.Error(t, err)
}

func TestTail_ReturnsTheLastLines(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"", 2, ""},
		{"a", 2, "a"},
		{"a\nb\nc\n", 2, "b\nc"},
		{"a\nb\nc", 3, "a\nb\nc"},
		{"a\nb\nc", 9, "a\nb\nc"},
		{"a\nb\n\n\n", 1, "b"},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, string(tail([]byte(test.text), test.n)), "%d lines of %q", test.n, test.text)
	}
}

func TestProperties_ThreeNodesCopyEachOther(t *testing.T) {
	c := &Cluster{dir: "/d"}
	for i := range 3 {
		c.nodes = append(c.nodes, &Node{cluster: c, id: i + 1, port: 100 + i, controllerPort: 200 + i})
	}
	props := properties(Options{Config: map[string]string{"min.insync.replicas": "1", "own": "x"}}, c.nodes, 1)
	assert.Equal(t, "2", props["node.id"])
	assert.Equal(t, "1@127.0.0.1:200,2@127.0.0.1:201,3@127.0.0.1:202", props["controller.quorum.voters"])
	assert.Equal(t, "PLAINTEXT://127.0.0.1:101,CONTROLLER://127.0.0.1:201", props["listeners"])
	assert.Equal(t, "3", props["default.replication.factor"])
	assert.Equal(t, "1", props["min.insync.replicas"], "the test's own wish")
	assert.Equal(t, "x", props["own"])
	assert.Equal(t, filepath.Join("/d", "node-2", "data"), props["log.dirs"])
}

func TestProperties_NodesOfOldReleasesMeetInZooKeeper(t *testing.T) {
	c := &Cluster{dir: "/d", zookeeper: &zookeeper{port: 300}}
	c.nodes = []*Node{{cluster: c, id: 1, port: 100, controllerPort: 200}}
	props := properties(Options{}, c.nodes, 0)
	assert.Equal(t, "1", props["broker.id"])
	assert.Equal(t, "127.0.0.1:300", props["zookeeper.connect"])
	assert.Equal(t, "PLAINTEXT://127.0.0.1:100", props["listeners"])
	assert.NotContains(t, props, "process.roles")
}

func TestReleaseOf_KnowsWhatNeedsZooKeeper(t *testing.T) {
	for version, zookeeper := range map[string]bool{"4.4.0": false, "3.9.1": false, "2.8.2": true, "2.1.1": true} {
		r, err := releaseOf(version)
		require.NoError(t, err, version)
		assert.Equal(t, zookeeper, r.zookeeper, version)
	}
	for _, version := range []string{"", "new", "1.1.1", "0.8"} {
		_, err := releaseOf(version)
		assert.Error(t, err, version)
	}
}

func TestFreePorts_AreDifferentAndBelowTheEphemeral(t *testing.T) {
	ports, err := freePorts(50)
	require.NoError(t, err)
	seen := make(map[int]bool)
	for _, p := range ports {
		assert.True(t, p >= firstPort && p <= lastPort && !seen[p], "port %d", p)
		seen[p] = true
	}
}

func TestProcessAlive(t *testing.T) {
	assert.True(t, processAlive(os.Getpid()))
}
