// java.go owns how Java programs are run against a resolved set of jars: the
// command-line tools of Kafka, and the judges of package judge.

package kafka

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// resolveTime bounds Maven: half a minute on a fresh machine, here with room for
// a slow network.
const resolveTime = 5 * time.Minute

// Java runs Java programs with Kafka's jars on the class path. It is a value
// that never changes; any goroutine may use it.
type Java struct {
	version string
	release release
	libs    string // folder of jars
	quiet   string // path of a logging set-up that prints errors only
}

// JavaFor returns the Java of a Kafka release without starting a node. It skips
// the test like Require.
func JavaFor(t testing.TB, version string) Java {
	t.Helper()
	Require(t)
	ctx, cancel := context.WithTimeout(t.Context(), resolveTime)
	defer cancel()
	j, err := newJava(ctx, version, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// newJava resolves the jars and puts the logging set-ups into dir.
func newJava(ctx context.Context, version, dir string) (Java, error) {
	if version == "" {
		version = DefaultVersion
	}
	r, err := releaseOf(version)
	if err != nil {
		return Java{}, err
	}
	libs, err := resolveLibs(ctx, version)
	if err != nil {
		return Java{}, err
	}
	if err := r.writeLogging(dir); err != nil {
		return Java{}, fmt.Errorf("write logging set-up: %w", err)
	}
	return Java{version: version, release: r, libs: libs, quiet: filepath.Join(dir, "quiet.properties")}, nil
}

// Version is the Kafka release whose jars these are.
func (j Java) Version() string { return j.version }

// Run runs a main class, or a single source file when the first argument ends in
// .java, until it ends or ctx does. stdin may be nil. stdout gets what it prints;
// what it says on standard error is in the error.
func (j Java) Run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "java", append([]string{
		"-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
		j.release.logFlag + j.quiet,
		"-cp", filepath.Join(j.libs, "*"),
	}, args...)...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
	if err := runOwned(cmd); err != nil {
		return fmt.Errorf("java %s: %w\n%s", args[0], err, tail(stderr.Bytes(), 30))
	}
	return nil
}

// server returns the command that runs a broker, or what it needs; its log goes
// to out.
func (j Java) server(heapMiB int, logging string, out *os.File, mainClass, props string) *exec.Cmd {
	cmd := exec.Command("java",
		fmt.Sprintf("-Xmx%dm", heapMiB), "-XX:+UseSerialGC", "-XX:-UsePerfData",
		j.release.logFlag+logging,
		"-cp", filepath.Join(j.libs, "*"), mainClass, props)
	cmd.Stdout, cmd.Stderr = out, out
	return cmd
}

// tail returns the last n lines of b.
func tail(b []byte, n int) []byte {
	b = bytes.TrimRight(b, "\n")
	end := len(b)
	for ; n > 0 && end >= 0; n-- {
		end = bytes.LastIndexByte(b[:end], '\n')
	}
	return b[end+1:]
}

// Jar is the path of an artifact of this release: "kafka-clients".
func (j Java) Jar(artifact string) string {
	return filepath.Join(j.libs, artifact+"-"+j.version+".jar")
}
