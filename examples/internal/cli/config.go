package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"

	"github.com/kafka-go-producer/producer"
)

// config.go owns the way from files and flags to a producer's Config.

// Properties are Java's keys and their values.
type Properties map[string]string

// Load adds the properties of a file; a name that is empty is none.
func (p Properties) Load(file string) error {
	if file == "" {
		return nil
	}
	f, err := os.Open(file) //nolint:gosec // a file the user names
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	read, err := producer.ReadProperties(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	maps.Copy(p, read)
	return nil
}

// Add adds texts of the form key=value; the value may have a "=" in it, too.
func (p Properties) Add(pairs []string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return fmt.Errorf("%q is not of the form key=value", pair)
		}
		p[key] = value
	}
	return nil
}

// Gather makes Properties of files and of texts of the form key=value, which go before the files.
func Gather(files, pairs []string) (Properties, error) {
	p := make(Properties)
	for _, file := range files {
		if err := p.Load(file); err != nil {
			return nil, err
		}
	}
	if err := p.Add(pairs); err != nil {
		return nil, err
	}
	return p, nil
}

// Default adds a property unless it is there.
func (p Properties) Default(key, value string) {
	if _, ok := p[key]; !ok {
		p[key] = value
	}
}

// Parse makes a Config of p, with a logger that writes warnings and errors to s.Err. It also returns the keys
// that change nothing.
func (p Properties) Parse(s Std) (cfg producer.Config, unused []string, err error) {
	cfg, unused, err = producer.ParseConfig(p)
	if p["transactional.id"] != "" {
		err = errors.Join(err, errors.New("transactional.id: this version of the library has no transactions"))
	}
	cfg.Logger = slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return cfg, unused, err
}

// Config is Parse that warns of keys that change nothing.
func (p Properties) Config(s Std) (producer.Config, error) {
	cfg, unused, err := p.Parse(s)
	if err != nil {
		return producer.Config{}, err
	}
	if len(unused) > 0 {
		s.Warn("these properties change nothing: %s", strings.Join(unused, ", "))
	}
	return cfg, nil
}
