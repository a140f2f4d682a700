// config.go owns what a node is told: its properties file. Stateless; any goroutine.

package kafka

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// clusterID is any base64 form of 16 bytes; every node of a cluster has the
// same.
const clusterID = "MkU3OEVBNTcwNTJENDM2Qg"

// properties returns the settings of node i (from 0) of the cluster.
func properties(o Options, nodes []*Node, i int) map[string]string {
	copies, insync := min(len(nodes), 3), 1
	if copies == 3 {
		insync = 2
	}
	n := nodes[i]
	props := map[string]string{
		"broker.rack":                "r" + strconv.Itoa(n.id),
		"advertised.listeners":       "PLAINTEXT://" + n.Address(),
		"log.dirs":                   n.dataDir(),
		"auto.create.topics.enable":  "false",
		"default.replication.factor": strconv.Itoa(copies),
		"min.insync.replicas":        strconv.Itoa(insync),

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
	maps.Copy(props, n.membership(nodes))
	maps.Copy(props, o.Config)
	return props
}

// membership returns the settings by which the nodes of a cluster find each other.
func (n *Node) membership(nodes []*Node) map[string]string {
	if z := n.cluster.zookeeper; z != nil {
		return map[string]string{
			"broker.id":         strconv.Itoa(n.id),
			"listeners":         "PLAINTEXT://" + n.Address(),
			"zookeeper.connect": z.address(),

			"zookeeper.connection.timeout.ms": "60000",
		}
	}
	voters := make([]string, len(nodes))
	for i, other := range nodes {
		voters[i] = fmt.Sprintf("%d@%s", other.id, loopback(other.controllerPort))
	}
	return map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        strconv.Itoa(n.id),
		"controller.quorum.voters":       strings.Join(voters, ","),
		"listeners":                      "PLAINTEXT://" + n.Address() + ",CONTROLLER://" + loopback(n.controllerPort),
		"controller.listener.names":      "CONTROLLER",
		"listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
	}
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
