// release.go owns what differs between Kafka's releases: artifacts, whether ZooKeeper
// is needed, logging, tools. Stateless; any goroutine.

package kafka

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed pom.xml
var pom4 []byte

//go:embed pom-3.xml
var pom3 []byte

//go:embed pom-2.xml
var pom2 []byte

// release is how the releases of one major version are run.
type release struct {
	pom       []byte
	zookeeper bool   // nodes need ZooKeeper, and cannot be formatted
	dumpTool  string // main class that reads log files
	batchRun  bool   // it shows batches and their CRCs only if it is not asked for records
	logFlag   string // of the JVM: followed by the path of a logging set-up
	logging   string // set-up that sends every line to standard output
	quiet     string // set-up that prints errors only, on standard error
}

// releaseOf goes by the major version. Tried are 2.1.1, 3.9.1 and 4.4.0.
func releaseOf(version string) (release, error) {
	first, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return release{}, fmt.Errorf("kafka %q: not a version", version)
	}
	log4j2 := release{pom: pom4, dumpTool: "org.apache.kafka.tools.DumpLogSegments",
		logFlag: "-Dlog4j2.configurationFile=", logging: logging, quiet: quiet}
	switch {
	case major >= 4:
		return log4j2, nil
	case major == 3:
		r := log4j2
		r.pom, r.dumpTool = pom3, "kafka.tools.DumpLogSegments"
		return r, nil
	case major == 2:
		return release{pom: pom2, zookeeper: true, dumpTool: "kafka.tools.DumpLogSegments", batchRun: true,
			logFlag: "-Dlog4j.configuration=file:", logging: logging1, quiet: quiet1}, nil
	default:
		return release{}, fmt.Errorf("kafka %s is too old: 2.1 is the oldest", version)
	}
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

// logging1 and quiet1 are the same for the first Log4j.
const (
	logging1 = `log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %p %c{1} %m%n
`
	quiet1 = `log4j.rootLogger=ERROR, err
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern=%p %c{1} %m%n
`
)

// writeLogging writes both logging set-ups into dir.
func (r release) writeLogging(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "logging.properties"), []byte(r.logging), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "quiet.properties"), []byte(r.quiet), 0o644)
}
