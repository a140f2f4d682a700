// tools_test.go is about the tools in examples: they take the flags of Kafka's own, print the same lines
// and send the same records.

package integration

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/kafka-go-producer/producer/integration/fake"
	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/integration/readback"
)

var updateFlags = flag.Bool("update-flags", false, "write examples/*/testdata/flags.tsv from what Kafka's tools say")

// tool is one of examples, and the class of Kafka's tool that it stands for.
type tool struct{ name, class string }

var (
	perfTool       = tool{"perf", "org.apache.kafka.tools.ProducerPerformance"}
	consoleTool    = tool{"console", "org.apache.kafka.tools.ConsoleProducer"}
	verifiableTool = tool{"verifiable", "org.apache.kafka.tools.VerifiableProducer"}
)

// The examples compare their flags with a list, and this compares the list with what Kafka's tools say.
func TestRealKafka_Tools_HaveKafkasFlags(t *testing.T) {
	java := kafka.JavaFor(t, kafka.DefaultVersion)
	for _, tool := range []tool{perfTool, consoleTool, verifiableTool} {
		t.Run(tool.name, func(t *testing.T) {
			want := flagTable(helpOf(t, java, tool.class))
			path := filepath.Join("..", "examples", tool.name, "testdata", "flags.tsv")
			if *updateFlags {
				require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
			}
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, want, string(got))
		})
	}
}

// helpSource runs a tool's main method with --help, standard error in standard output.
const helpSource = `public class Help {
    public static void main(String[] args) throws Exception {
        System.setErr(System.out);
        Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) new String[] {"--help"});
    }
}
`

func helpOf(t *testing.T, java kafka.Java, class string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "Help.java")
	require.NoError(t, os.WriteFile(source, []byte(helpSource), 0o644))
	var out bytes.Buffer
	err := java.Run(within(t, time.Minute), nil, &out, source, class)
	require.Contains(t, out.String(), "--topic", "%v", err) // the exit status is 1
	return out.String()
}

var (
	// A flag and what stands behind it, by the two libraries that Kafka's tools have: "  -h, --help" below a
	// line of usage, "--topic <String: topic>" without.
	usageFlag = regexp.MustCompile(`^  (?:-\w, )?--([a-z][\w.-]*)(.*)$`)
	plainFlag = regexp.MustCompile(`^--([a-z][\w.-]*)(.*)$`)
	// A flag in the line of usage, and whether it stands by itself: not in brackets, not beside others.
	flagUse  = regexp.MustCompile(`([\[(]|\| |)--([\w.-]+)`)
	standard = regexp.MustCompile(`(?s)\(default: (.*?)\)`)
	blanks   = regexp.MustCompile(`\s+`)
)

// flagTable makes of a help text what examples/internal/cli makes of its flags.
func flagTable(help string) string {
	needed := make(map[string]string)
	flagLine := plainFlag
	if usage, _, _ := strings.Cut(help, "\n\n"); strings.HasPrefix(usage, "usage:") {
		flagLine = usageFlag
		for _, m := range flagUse.FindAllStringSubmatch(blanks.ReplaceAllString(usage, " "), -1) {
			if m[1] == "" {
				needed[m[2]] = "required"
			}
		}
	}
	var rows, texts []string
	for line := range strings.Lines(help) {
		m := flagLine.FindStringSubmatch(strings.TrimRight(line, " \n"))
		if m == nil {
			if len(texts) > 0 {
				texts[len(texts)-1] += line
			}
			continue
		}
		rows = append(rows, m[1]+"\t"+argumentIn(m[2]))
		texts = append(texts, m[2]+"\n")
	}
	for i, row := range rows {
		name, _, _ := strings.Cut(row, "\t")
		text := texts[i]
		if strings.Contains(text, "REQUIRED:") {
			needed[name] = "required"
		}
		value := ""
		if m := standard.FindStringSubmatch(text); m != nil && !strings.HasSuffix(row, "none") {
			value = blanks.ReplaceAllString(m[1], "")
		}
		rows[i] = row + "\t" + needed[name] + "\t" + value + "\n"
	}
	slices.Sort(rows)
	return strings.Join(rows, "")
}

// argumentIn says how many values a flag takes, by what stands behind its name.
func argumentIn(rest string) string {
	switch what, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), "  "); {
	case what == "":
		return "none"
	case strings.HasPrefix(what, "["):
		return "optional"
	case strings.HasSuffix(what, " ...]"):
		return "many"
	}
	return "one"
}

// buildTools builds ours of the tools, and returns where they are by name.
func buildTools(t *testing.T, tools ...tool) map[string]string {
	t.Helper()
	dir := t.TempDir()
	args, paths := []string{"build", "-o", dir + string(filepath.Separator)}, make(map[string]string)
	for _, tool := range tools {
		args = append(args, "github.com/kafka-go-producer/producer/examples/"+tool.name)
		paths[tool.name] = filepath.Join(dir, tool.name)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return paths
}

// toolJob is something to be done by a tool of Kafka's and by ours, on a topic of its own each.
type toolJob struct {
	name  string
	tool  tool
	stdin string
	args  string
	want  int // records; -1: the topic is not there
}

// run returns what the two tools print. path is that of ours.
func (j toolJob) run(t *testing.T, c *kafka.Cluster, path string) (theirs, ours string) {
	t.Helper()
	args := func(topic string) []string {
		return append([]string{"--bootstrap-server", strings.Join(c.Bootstrap(), ","), "--topic", j.name + topic}, strings.Fields(j.args)...)
	}
	var out bytes.Buffer
	require.NoError(t, c.Java().Run(within(t, time.Minute), strings.NewReader(j.stdin), &out, append([]string{j.tool.class}, args("-theirs")...)...))
	cmd := exec.CommandContext(within(t, time.Minute), path, args("-ours")...)
	cmd.Stdin = strings.NewReader(j.stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	printed, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	return out.String(), string(printed)
}

var (
	numbers = regexp.MustCompile(`-?\d+(\.\d+)?(E-?\d+|e-?\d+)?`)
	failure = regexp.MustCompile(`"exception":"[^"]*","message":"[^"]*"`)
)

// shape is an output without numbers, topics and texts of errors. Of windows, which may be more or fewer, one is
// left in a row.
func shape(output, name string) string {
	output = strings.NewReplacer(name+"-theirs", "TOPIC", name+"-ours", "TOPIC").Replace(output)
	output = failure.ReplaceAllString(output, "FAILURE")
	lines := strings.Split(numbers.ReplaceAllString(output, "N"), "\n")
	lines = slices.CompactFunc(lines, func(a, b string) bool { return a == b && strings.HasSuffix(a, "max latency.") })
	return strings.Join(lines, "\n")
}

// recordsOf describes what is in a topic.
func recordsOf(t *testing.T, c *kafka.Cluster, topic string) []string {
	t.Helper()
	var all []string
	for _, r := range readback.Flat(t, c.Bootstrap(), topic) {
		all = append(all, fmt.Sprintf("key %q (null: %t), value %q (null: %t), headers %v", r.Key, r.Key == nil, r.Value, r.Value == nil, r.Headers))
	}
	return all
}

func TestRealKafka_Tools_DoWhatKafkasDo(t *testing.T) {
	c := shared.Cluster(t)
	payloads := filepath.Join(t.TempDir(), "payloads")
	require.NoError(t, os.WriteFile(payloads, []byte("one|two||three|"), 0o644))
	hasty := filepath.Join(t.TempDir(), "hasty.properties")
	require.NoError(t, os.WriteFile(hasty, []byte("max.block.ms = 500\n"), 0o644))
	paths := buildTools(t, perfTool, consoleTool, verifiableTool)
	for _, job := range []toolJob{
		{"perf-random", perfTool, "", "--num-records 300 --record-size 100 --throughput -1 --random-seed 7 --record-key-range 10 --key-distribution random", 300},
		{"perf-range", perfTool, "", "--num-records 300 --payload-monotonic --throughput -1 --record-key-range 7 --key-distribution range --command-property linger.ms=0 acks=1", 300},
		{"perf-file", perfTool, "", `--num-records 50 --throughput 1000 --payload-delimiter \| --payload-file ` + payloads, 50},
		{"perf-windows", perfTool, "", "--num-records 4500 --record-size 10 --throughput 1500 --warmup-records 3000 --reporting-interval 400", 4500},
		{"verifiable", verifiableTool, "", "--max-messages 20 --repeating-keys 3 --value-prefix 5 --throughput 1000", 20},
		{"verifiable-missing", verifiableTool, "", "--max-messages 2 --command-config " + hasty, -1},
		{"console", consoleTool, "one\r\ntwo\rthree\n\nfour", "--sync --timeout 10", 5},
		{"console-parsed", consoleTool, "a:1,b:NULL,a:2,\tkey\tvalue\nNULL\tNULL\tNULL\na:\t\t\n",
			"--reader-property parse.headers=true --reader-property parse.key=true --reader-property null.marker=NULL --compression-codec --timeout 10", 3},
		{"console-lenient", consoleTool, "none of both\na:1\tno key\nnot a pair\tkey\tvalue\n,,\tk\tv\n",
			"--reader-property parse.headers=true --reader-property parse.key=true --reader-property ignore.error=true --batch-size 100", 4},
	} {
		t.Run(job.name, func(t *testing.T) {
			if job.want >= 0 {
				c.CreateTopic(t, job.name+"-theirs", 1)
				c.CreateTopic(t, job.name+"-ours", 1)
			}
			theirs, ours := job.run(t, c, paths[job.tool.name])
			assert.Equal(t, shape(theirs, job.name), shape(ours, job.name))
			if job.want >= 0 {
				got := recordsOf(t, c, job.name+"-ours")
				assert.Len(t, got, job.want)
				assert.Equal(t, recordsOf(t, c, job.name+"-theirs"), got)
			}
		})
	}
}

func TestTools_Verifiable_DrainsOnSIGTERM(t *testing.T) {
	cluster := fake.Start(t, kfake.SeedTopics(1, "numbers"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, buildTools(t, verifiableTool)[verifiableTool.name], "-topic", "numbers", "-throughput", "1000",
		"-bootstrap-server", strings.Join(cluster.ListenAddrs(), ","))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	var lines []string
	for s := bufio.NewScanner(out); s.Scan(); {
		lines = append(lines, s.Text())
		if len(lines) == 100 {
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		}
	}
	require.NoError(t, cmd.Wait(), "the exit status")
	require.Greater(t, len(lines), 100)
	assert.Contains(t, lines[0], `"name":"startup_complete"`)
	n := len(lines) - 3
	for i, line := range lines[1 : n+1] {
		assert.Contains(t, line, fmt.Sprintf(`"name":"producer_send_success","key":null,"value":"%d","offset":%d,`, i, i))
	}
	assert.Contains(t, lines[n+1], `"name":"shutdown_complete"`)
	assert.Contains(t, lines[n+2], fmt.Sprintf(`"name":"tool_data","sent":%d,"acked":%d,"target_throughput":1000,`, n, n))
}
