package producer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// parseconfig.go owns the way from Java's properties to a Config: which keys were meant, and what follows
// for those that were not given. A configParser belongs to one call of ParseConfig.

// ParseConfig reads Java's keys; docs/CONFIG.md has them all. Keys that are not given have the defaults of
// NewConfig, adapted as Java adapts them: acks=1 alone, for one, switches idempotence off, while
// acks=1 with enable.idempotence=true is a mistake.
//
// All mistakes come in one error that matches ErrConfig and names the key of each; errors.As with an
// interface{ Unwrap() []error } gives them one by one. unused, in alphabetical order, are the keys that
// changed nothing: unknown ones, those that mean nothing in Go, those of a codec or of TLS when it is not
// in use.
//
// It reads the PEM files that ssl.keystore.location and ssl.truststore.location name, and looks up
// nothing. What Java only warns of is logged by New.
func ParseConfig(props map[string]string) (cfg Config, unused []string, err error) {
	p := configParser{cfg: NewConfig(), values: make(map[string]any), wrong: make(map[string]bool), unused: make(map[string]bool)}
	for name := range props {
		p.unused[name] = true
	}
	for _, k := range configKeys() {
		if text, given := props[k.name]; given {
			p.read(&k, trim(text))
		}
	}
	p.servers()
	p.client()
	p.backoffs()
	p.compression()
	p.idempotence()
	p.transactions()
	p.delivery()
	p.least()
	p.partitioner()
	p.security()
	p.references(props)
	unused = slices.Sorted(maps.Keys(p.unused))
	if len(p.mistakes) > 0 {
		return Config{}, unused, p.mistakes
	}
	return p.cfg, unused, nil
}

// configParser is a Config in the making.
type configParser struct {
	cfg      Config
	values   map[string]any // of the keys that were given and are right by themselves
	mistakes configErrors
	wrong    map[string]bool // keys that have a mistake
	unused   map[string]bool // keys that were given and have changed nothing yet
}

// refuse notes a mistake in the value of a key.
func (p *configParser) refuse(key, format string, args ...any) {
	p.wrong[key] = true
	p.mistakes = append(p.mistakes, fmt.Errorf(key+": "+format, args...))
}

// warn notes what New shall log.
func (p *configParser) warn(key, format string, args ...any) {
	p.cfg.warnings = append(p.cfg.warnings, key+": "+fmt.Sprintf(format, args...))
}

// read parses and checks the value of a key, and puts it into its field if that is all there is to it.
func (p *configParser) read(k *configKey, text string) {
	v, err := k.kind.parse(text)
	if err == nil {
		err = k.rule.check(v)
	}
	if err != nil {
		p.refuse(k.name, "%w", err)
		return
	}
	if elements, ok := v.([]string); ok {
		v = p.distinct(k.name, elements)
	}
	p.values[k.name] = v
	if k.at != nil {
		assign(k.at(&p.cfg), v)
		p.use(k.name)
	}
}

// distinct takes away what is in a list already.
func (p *configParser) distinct(key string, elements []string) []string {
	kept := make([]string, 0, len(elements))
	for _, e := range elements {
		if !slices.Contains(kept, e) {
			kept = append(kept, e)
		}
	}
	if len(kept) < len(elements) {
		p.warn(key, "what is there twice counts once")
	}
	return kept
}

// use notes that a key changed something.
func (p *configParser) use(key string) { delete(p.unused, key) }

// given says whether a key has a value of its own.
func (p *configParser) given(key string) bool { return p.values[key] != nil }

// text is the value of a STRING, PASSWORD or CLASS that was given, or else standard. It counts as used.
func (p *configParser) text(key, standard string) string {
	p.use(key)
	if v, ok := p.values[key].(string); ok {
		return v
	}
	return standard
}

// references refuses what one of config.providers would have replaced: it is not the value that was meant.
// Keys that changed nothing may have what they like.
func (p *configParser) references(props map[string]string) {
	providers, _ := p.values["config.providers"].([]string)
	for _, key := range slices.Sorted(maps.Keys(props)) {
		for _, provider := range providers {
			if reference := "${" + provider + ":"; strings.Contains(props[key], reference) && !p.wrong[key] && !p.unused[key] {
				p.refuse(key, "there are no config providers to replace %s...}: do so before ParseConfig", reference)
			}
		}
	}
}

func (p *configParser) servers() {
	const key = "bootstrap.servers"
	if !p.given(key) && !p.wrong[key] {
		p.refuse(key, "it is missing")
	}
	for _, s := range p.cfg.BootstrapServers {
		if _, _, err := splitServer(s); err != nil {
			p.refuse(key, "%w", err)
		}
	}
}

func (p *configParser) client() { p.cfg.anonymous = p.values["client.id"] == "" }

func (p *configParser) backoffs() {
	const setup = "socket.connection.setup.timeout"
	if p.cfg.RetryBackoff > p.cfg.RetryBackoffMax {
		p.warn("retry.backoff.ms", "it is more than retry.backoff.max.ms, which every wait will be")
	}
	if p.cfg.ConnectionSetup > p.cfg.ConnectionSetupMax {
		p.warn(setup+".ms", "it is more than %s.max.ms, which every wait will be", setup)
	}
	if p.given("reconnect.backoff.ms") && !p.given("reconnect.backoff.max.ms") && !p.wrong["reconnect.backoff.max.ms"] {
		p.cfg.ReconnectBackoffMax = p.cfg.ReconnectBackoff
		p.warn("reconnect.backoff.ms", "every wait will be that, for reconnect.backoff.max.ms is not given")
	}
	if strings.EqualFold(p.text("metadata.recovery.strategy", ""), "none") {
		p.cfg.MetadataRebootstrap = -1
	}
}

// compression takes the level that belongs to the codec. The other levels are checked, as in Java, and
// unused.
func (p *configParser) compression() {
	key := "compression." + string(p.cfg.Compression) + ".level"
	if level, ok := p.values[key].(int64); ok {
		p.cfg.CompressionLevel = int(level)
		p.use(key)
	}
	const strategy = "buffer.memory.allocation.strategy"
	if v, ok := p.values[strategy].(string); ok && strings.EqualFold(v, "incremental") &&
		p.cfg.Compression != CompressionNone && p.cfg.BatchSize >= incrementalChunk {
		p.refuse(strategy, "%s does not go together with compression.type %s", v, p.cfg.Compression)
	}
}

// incrementalChunk is the least batch.size with which Java's incremental strategy is more than a warning.
const incrementalChunk = 16 << 10

// idempotence is on unless something rules it out; what it is on for explicitly must not.
func (p *configParser) idempotence() {
	const key = "enable.idempotence"
	if !p.cfg.Idempotence {
		return
	}
	for _, other := range []struct {
		key     string
		against bool
	}{{"acks", p.cfg.Acks != AcksAll}, {"retries", p.cfg.Retries == 0}} {
		switch {
		case !other.against:
		case p.given(key):
			p.refuse(other.key, "%v does not go together with %s", p.values[other.key], key)
		default:
			p.cfg.Idempotence = false
		}
	}
	if p.cfg.MaxInFlight > maxInFlightIdempotent {
		p.refuse("max.in.flight.requests.per.connection", "%d is more than the %d that %s allows", p.cfg.MaxInFlight, maxInFlightIdempotent, key)
	}
}

func (p *configParser) transactions() {
	if p.given("transactional.id") && !p.cfg.Idempotence {
		p.refuse("transactional.id", "it needs enable.idempotence, which is off")
	}
	if p.values["transaction.two.phase.commit.enable"] == true && p.given("transaction.timeout.ms") {
		p.refuse("transaction.timeout.ms", "it does not go together with transaction.two.phase.commit.enable")
	}
}

// delivery bounds linger.ms, which Java counts in 32 bits, and leaves delivery.timeout.ms to Config if it
// is not given: zero becomes long enough.
func (p *configParser) delivery() {
	const key = "delivery.timeout.ms"
	p.cfg.Linger = min(p.cfg.Linger, math.MaxInt32*time.Millisecond)
	least := p.cfg.Linger + p.cfg.RequestTimeout
	switch {
	case p.wrong[key] || p.wrong["linger.ms"] || p.wrong["request.timeout.ms"]:
	case p.given(key) && p.cfg.DeliveryTimeout < min(least, math.MaxInt32*time.Millisecond): // where Java's sum ends, too
		p.refuse(key, "%d is less than linger.ms plus request.timeout.ms, %d", p.cfg.DeliveryTimeout.Milliseconds(), least.Milliseconds())
	case !p.given(key) && least > minDeliveryTimeout:
		p.warn(key, "raised to linger.ms plus request.timeout.ms, %d", least.Milliseconds())
	}
}

// least lengthens waits of no time at all, which Java allows, and a delivery.timeout.ms that is then too
// short, or was capped; and it gives an idle time that is negative its meaning.
func (p *configParser) least() {
	c := &p.cfg
	for _, d := range []*time.Duration{&c.RequestTimeout, &c.ConnectionSetup, &c.ConnectionSetupMax} {
		*d = max(*d, time.Millisecond)
	}
	if p.given("delivery.timeout.ms") {
		c.DeliveryTimeout = max(c.DeliveryTimeout, c.Linger+c.RequestTimeout)
	}
	switch {
	case c.ConnectionsMaxIdle < 0:
		c.ConnectionsMaxIdle = 0
	case c.ConnectionsMaxIdle == 0:
		c.ConnectionsMaxIdle = time.Millisecond
	}
}

func (p *configParser) partitioner() {
	if p.cfg.lacksRack() {
		p.refuse("partitioner.rack.aware", "it needs a client.rack")
	}
}
