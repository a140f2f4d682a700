package producer

import (
	"context"
	"crypto/tls"
	"log/slog"
	"slices"
	"strings"

	"github.com/kafka-go-producer/producer/record"
)

// configshow.go owns how a Config is printed and logged: under Java's keys, secrets masked. Pure
// functions, but for report.

// hidden stands for what nobody may see, unset for a key without a value; both as in Java.
const (
	hidden = "[hidden]"
	unset  = "null"
)

// setting is a key and what it is now.
type setting struct{ key, value string }

// String gives the settings in lines of the form "key = value", in alphabetical order, under Java's keys
// and with Java's units. Keys and certificates are masked.
func (c Config) String() string {
	var b strings.Builder
	for _, s := range c.settings() {
		b.WriteString(s.key + " = " + s.value + "\n")
	}
	return b.String()
}

// LogValue makes a group of the settings, as String does lines.
func (c Config) LogValue() slog.Value { return slog.GroupValue(c.attributes()...) }

func (c *Config) attributes() []slog.Attr {
	settings := c.settings()
	attrs := make([]slog.Attr, len(settings))
	for i, s := range settings {
		attrs[i] = slog.String(s.key, s.value)
	}
	return attrs
}

// settings are the keys that have a field, with what New makes of it. Fields without a key, such as Dial,
// are not there, nor are the ways in which certificates were given.
func (c *Config) settings() []setting {
	all := append(c.plain(), c.compressionLevel()...)
	all = append(all, showTLS(c.TLS)...)
	slices.SortFunc(all, func(a, b setting) int { return strings.Compare(a.key, b.key) })
	return all
}

// plain are the keys that are a field of their own.
func (c *Config) plain() []setting {
	strategy := "rebootstrap"
	if c.MetadataRebootstrap < 0 {
		strategy = "none"
	}
	all := []setting{{"metadata.recovery.strategy", strategy}}
	shown := *c
	shown.DeliveryTimeout = c.delivery()
	for _, k := range configKeys() {
		switch {
		case k.at == nil:
		case k.field == "MetadataRebootstrap" && c.MetadataRebootstrap < 0: // there is none
		case k.field == "ConnectionsMaxIdle" && c.ConnectionsMaxIdle == 0:
			all = append(all, setting{k.name, "-1"})
		case k.field == "TransactionalID" && c.TransactionalID == "":
			all = append(all, setting{k.name, unset})
		case k.field == "ClientID" && c.ClientID == "" && !c.anonymous:
			all = append(all, setting{k.name, "producer-<n>"})
		default:
			all = append(all, setting{k.name, show(k.at(&shown))})
		}
	}
	return all
}

// compressionLevel is that of the codec in use, if it has levels.
func (c *Config) compressionLevel() []setting {
	codec, _ := c.Compression.codec()
	for _, k := range configKeys() {
		if k.name != "compression."+codec.String()+".level" {
			continue
		}
		level := c.CompressionLevel
		if level == record.DefaultLevel {
			_, _, level = codec.Levels()
		}
		return []setting{{k.name, show(&level)}}
	}
	return nil
}

// showTLS reads from a tls.Config, whoever made it, what Java's keys would say.
func showTLS(c *tls.Config) []setting {
	if c == nil {
		return []setting{{"security.protocol", "PLAINTEXT"}}
	}
	all := []setting{{"security.protocol", "SSL"}, {"ssl.endpoint.identification.algorithm", "https"}}
	if c.InsecureSkipVerify {
		all[1].value = ""
	}
	lowest, highest := max(c.MinVersion, tls.VersionTLS10), uint16(tls.VersionTLS13)
	if c.MinVersion == 0 {
		lowest = tls.VersionTLS12
	}
	if c.MaxVersion != 0 {
		highest = c.MaxVersion
	}
	var versions, suites []string
	for v := lowest; v <= highest; v++ {
		versions = append(versions, tlsVersionName(v))
	}
	for _, id := range c.CipherSuites {
		suites = append(suites, tls.CipherSuiteName(id))
	}
	return append(all,
		setting{"ssl.enabled.protocols", strings.Join(versions, ",")},
		setting{"ssl.cipher.suites", strings.Join(suites, ",")},
		setting{"ssl.keystore.certificate.chain", mask(len(c.Certificates) > 0 || c.GetClientCertificate != nil)},
		setting{"ssl.keystore.key", mask(len(c.Certificates) > 0 || c.GetClientCertificate != nil)},
		setting{"ssl.truststore.certificates", mask(c.RootCAs != nil)})
}

func mask(there bool) string {
	if there {
		return hidden
	}
	return unset
}

// report logs what ParseConfig had doubts about, and all settings once, at debug level.
func (c *Config) report() {
	ctx := context.Background()
	for _, w := range c.warnings {
		c.Logger.WarnContext(ctx, "configuration: "+w)
	}
	if c.Logger.Enabled(ctx, slog.LevelDebug) {
		c.Logger.LogAttrs(ctx, slog.LevelDebug, "configuration", c.attributes()...)
	}
}
