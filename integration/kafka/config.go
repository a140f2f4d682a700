// config.go owns what a node is told: its properties file and its logging.
// Stateless; any goroutine.

package kafka

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// clusterID is any base64 form of 16 bytes; every node of a cluster has the
// same.
const clusterID = "MkU3OEVBNTcwNTJENDM2Qg"

// properties returns the settings of node i (from 0) of the cluster.
func properties(o Options, nodes []*Node, i int) map[string]string {
	voters := make([]string, len(nodes))
	for j, n := range nodes {
		voters[j] = fmt.Sprintf("%d@%s", n.id, loopback(n.controllerPort))
	}
	copies, insync := min(len(nodes), 3), 1
	if copies == 3 {
		insync = 2
	}
	n := nodes[i]
	props := map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        strconv.Itoa(n.id),
		"broker.rack":                    "r" + strconv.Itoa(n.id),
		"controller.quorum.voters":       strings.Join(voters, ","),
		"listeners":                      "PLAINTEXT://" + n.Address() + ",CONTROLLER://" + loopback(n.controllerPort),
		"advertised.listeners":           "PLAINTEXT://" + n.Address(),
		"controller.listener.names":      "CONTROLLER",
		"listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
		"log.dirs":                       n.dataDir(),
		"auto.create.topics.enable":      "false",
		"default.replication.factor":     strconv.Itoa(copies),
		"min.insync.replicas":            strconv.Itoa(insync),

		"offsets.topic.replication.factor":         strconv.Itoa(copies),
		"offsets.topic.num.partitions":             "1",
		"transaction.state.log.replication.factor": strconv.Itoa(copies),
		"transaction.state.log.min.isr":            strconv.Itoa(insync),
		"transaction.state.log.num.partitions":     "1",
		"group.initial.rebalance.delay.ms":         "0",

		// Tests write records of any date: nothing is deleted for its age.
		"log.retention.ms": "-1",

		// The cleaner's buffer of 128 MiB would be half of a small node's heap.
		"log.cleaner.dedupe.buffer.size": "4194304",
	}
	maps.Copy(props, o.Config)
	return props
}

// writeProperties writes a Java .properties file, keys in order. The values used
// here need no escapes.
func writeProperties(path string, props map[string]string) error {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(props)) {
		fmt.Fprintf(&b, "%s=%s\n", key, props[key])
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// logging sends every log line to standard output, which startNode points at the
// node's log file.
const logging = `status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %c{1} %m%n
rootLogger.level = info
rootLogger.appenderRef.out.ref = out
`

// quiet lets a tool print its result and nothing else, but errors.
const quiet = `status = error
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = %p %c{1} %m%n
rootLogger.level = error
rootLogger.appenderRef.err.ref = err
`

// writeLogging writes both logging set-ups into dir.
func writeLogging(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "logging.properties"), []byte(logging), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "quiet.properties"), []byte(quiet), 0o644)
}
