// libs.go owns the folder of jars a node runs from. It is resolved once per
// machine by Maven, under a file lock because several test binaries may want
// it at the same moment.

package kafka

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// DefaultVersion is the release used where Options names none.
const DefaultVersion = "4.4.0"

// resolveLibs returns the folder with every jar of the given release. The
// first call on a machine runs Maven, for which ctx bounds the time; later ones
// find the folder there. What the pom says is part of the folder's name, so a
// changed pom is resolved anew.
func resolveLibs(ctx context.Context, version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("resolve Kafka %s: %w", version, err)
	}
	r, err := releaseOf(version)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(r.pom)
	root := filepath.Join(cache, "kafka-go-producer", "kafka-"+version+"-"+hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("resolve Kafka %s: %w", version, err)
	}
	unlock, err := lockFile(filepath.Join(root, "lock"))
	if err != nil {
		return "", fmt.Errorf("resolve Kafka %s: %w", version, err)
	}
	defer unlock()

	libs := filepath.Join(root, "libs")
	if _, err := os.Stat(libs); err == nil {
		return libs, nil
	}
	pomFile := filepath.Join(root, "pom.xml")
	if err := os.WriteFile(pomFile, r.pom, 0o644); err != nil {
		return "", fmt.Errorf("resolve Kafka %s: %w", version, err)
	}
	partial := libs + ".partial"
	if err := copyDependencies(ctx, pomFile, version, partial); err != nil {
		return "", fmt.Errorf("resolve Kafka %s: %w", version, err)
	}
	// Only a complete folder gets the name that the next call trusts.
	if err := os.Rename(partial, libs); err != nil {
		return "", fmt.Errorf("resolve Kafka %s: %w", version, err)
	}
	return libs, nil
}

// copyDependencies asks Maven's local repository first, and the network only
// when something is missing there.
func copyDependencies(ctx context.Context, pomFile, version, dir string) error {
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("mvn (Maven) is not installed: %w", err)
	}
	goals := []string{
		"-B", "-q", "-f", pomFile, "dependency:copy-dependencies",
		"-Dkafka.version=" + version, "-DincludeScope=runtime", "-DoutputDirectory=" + dir,
	}
	var failures []error
	for _, mode := range [][]string{{"-o"}, nil} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		var out strings.Builder
		cmd := exec.CommandContext(ctx, "mvn", append(mode, goals...)...)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := runOwned(cmd)
		if err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("mvn %s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, out.String()))
	}
	return errors.Join(failures...)
}
