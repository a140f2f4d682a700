package producer

// configkeys.go owns the table of Java's keys: what each may be, and which field it fills or why none
// does. It is made anew by each call and belongs to the caller.

// configKey is one of Java's keys. Either it has a field, or a reason why the library ignores it. What it
// must be holds for both: ParseConfig refuses what Java refuses.
type configKey struct {
	name  string
	kind  configKind
	rule  configRule
	field string
	at    func(*Config) any // points to the field; nil: ParseConfig treats the key by itself
	about string            // the reason, or what docs/CONFIG.md says beyond the field's comment
}

// configKeys is the table.
func configKeys() []configKey {
	keys := recordKeys()
	keys = append(keys, partitionerKeys()...)
	keys = append(keys, connectionKeys()...)
	keys = append(keys, metadataKeys()...)
	keys = append(keys, tlsKeys()...)
	keys = append(keys, saslKeys()...)
	return append(keys, ignoredKeys()...)
}

// recordKeys are those that say how records are gathered, sent and made sure of.
func recordKeys() []configKey {
	const ofCodec = "the codec's level, where `compression.type` names this codec"
	return []configKey{
		{"acks", kindString, oneOf("all", "-1", "0", "1"), "Acks", func(c *Config) any { return &c.Acks }, ""},
		{"enable.idempotence", kindBoolean, configRule{}, "Idempotence", func(c *Config) any { return &c.Idempotence },
			"in properties, where not given: off if `acks` or `retries` rule it out"},
		{"transactional.id", kindString, configRule{notEmpty: true}, "TransactionalID", func(c *Config) any { return &c.TransactionalID }, ""},
		{"transaction.timeout.ms", kindInt, configRule{}, "TransactionTimeout", func(c *Config) any { return &c.TransactionTimeout }, ""},
		{"batch.size", kindInt, atLeast(0), "BatchSize", func(c *Config) any { return &c.BatchSize }, ""},
		{"linger.ms", kindLong, atLeast(0), "Linger", func(c *Config) any { return &c.Linger }, ""},
		{"buffer.memory", kindLong, atLeast(0), "BufferMemory", func(c *Config) any { return &c.BufferMemory }, ""},
		{"max.request.size", kindInt, atLeast(0), "MaxRequestSize", func(c *Config) any { return &c.MaxRequestSize }, ""},
		{"compression.type", kindString, oneOf("none", "gzip", "snappy", "lz4", "zstd"), "Compression", func(c *Config) any { return &c.Compression }, ""},
		{"compression.gzip.level", kindInt, configRule{bounded: true, low: -1, high: 9, notZero: true}, "CompressionLevel", nil, ofCodec + "; -1 is 6"},
		{"compression.lz4.level", kindInt, between(1, 17), "CompressionLevel", nil, ofCodec + "; 9 is the fast compressor"},
		{"compression.zstd.level", kindInt, between(-1<<17, 22), "CompressionLevel", nil, ofCodec},
		{"max.in.flight.requests.per.connection", kindInt, atLeast(1), "MaxInFlight", func(c *Config) any { return &c.MaxInFlight }, ""},
		{"retries", kindInt, between(0, 1<<31-1), "Retries", func(c *Config) any { return &c.Retries }, ""},
		{"max.block.ms", kindLong, atLeast(0), "MaxBlock", func(c *Config) any { return &c.MaxBlock }, ""},
		{"delivery.timeout.ms", kindInt, atLeast(0), "DeliveryTimeout", func(c *Config) any { return &c.DeliveryTimeout },
			"in properties, where not given: raised to `linger.ms` plus `request.timeout.ms` if that is more"},
		{"request.timeout.ms", kindInt, atLeast(0), "RequestTimeout", func(c *Config) any { return &c.RequestTimeout }, "in properties, 0 means 1"},
	}
}

func partitionerKeys() []configKey {
	return []configKey{
		{"partitioner.ignore.keys", kindBoolean, configRule{}, "PartitionerIgnoreKeys", func(c *Config) any { return &c.PartitionerIgnoreKeys }, ""},
		{"partitioner.adaptive.partitioning.enable", kindBoolean, configRule{}, "PartitionerAdaptive", func(c *Config) any { return &c.PartitionerAdaptive }, ""},
		{"partitioner.availability.timeout.ms", kindLong, atLeast(0), "PartitionerAvailability", func(c *Config) any { return &c.PartitionerAvailability }, ""},
		{"partitioner.rack.aware", kindBoolean, configRule{}, "PartitionerRackAware", func(c *Config) any { return &c.PartitionerRackAware }, "needs `client.rack`"},
		{"client.rack", kindString, configRule{}, "ClientRack", func(c *Config) any { return &c.ClientRack }, ""},
	}
}

func connectionKeys() []configKey {
	return []configKey{
		{"bootstrap.servers", kindList, configRule{notEmpty: true}, "BootstrapServers", func(c *Config) any { return &c.BootstrapServers }, ""},
		{"bootstrap.resolve.timeout.ms", kindLong, atLeast(0), "BootstrapResolveTimeout", func(c *Config) any { return &c.BootstrapResolveTimeout }, ""},
		{"client.id", kindString, configRule{}, "ClientID", func(c *Config) any { return &c.ClientID }, "in properties, empty is none"},
		{"retry.backoff.ms", kindLong, atLeast(0), "RetryBackoff", func(c *Config) any { return &c.RetryBackoff }, ""},
		{"retry.backoff.max.ms", kindLong, atLeast(0), "RetryBackoffMax", func(c *Config) any { return &c.RetryBackoffMax }, ""},
		{"reconnect.backoff.ms", kindLong, atLeast(0), "ReconnectBackoff", func(c *Config) any { return &c.ReconnectBackoff }, ""},
		{"reconnect.backoff.max.ms", kindLong, atLeast(0), "ReconnectBackoffMax", func(c *Config) any { return &c.ReconnectBackoffMax },
			"in properties, where not given: that of `reconnect.backoff.ms` if that is given"},
		{"socket.connection.setup.timeout.ms", kindLong, configRule{}, "ConnectionSetup", func(c *Config) any { return &c.ConnectionSetup }, "in properties, less than 1 means 1"},
		{"socket.connection.setup.timeout.max.ms", kindLong, configRule{}, "ConnectionSetupMax", func(c *Config) any { return &c.ConnectionSetupMax }, "in properties, less than 1 means 1"},
		{"connections.max.idle.ms", kindLong, configRule{}, "ConnectionsMaxIdle", func(c *Config) any { return &c.ConnectionsMaxIdle }, "in properties, negative means that, and 0 means 1"},
		{"send.buffer.bytes", kindInt, atLeast(-1), "SendBuffer", func(c *Config) any { return &c.SendBuffer }, ""},
		{"receive.buffer.bytes", kindInt, atLeast(-1), "ReceiveBuffer", func(c *Config) any { return &c.ReceiveBuffer }, ""},
	}
}

func metadataKeys() []configKey {
	return []configKey{
		{"metadata.max.age.ms", kindLong, atLeast(0), "MetadataMaxAge", func(c *Config) any { return &c.MetadataMaxAge }, ""},
		{"metadata.max.idle.ms", kindLong, atLeast(5000), "MetadataMaxIdle", func(c *Config) any { return &c.MetadataMaxIdle }, ""},
		{"metadata.recovery.rebootstrap.trigger.ms", kindLong, atLeast(0), "MetadataRebootstrap", func(c *Config) any { return &c.MetadataRebootstrap }, ""},
		{"metadata.recovery.strategy", kindString, anyCase("rebootstrap", "none"), "MetadataRebootstrap", nil, "`none`: the field is negative"},
		{"metadata.cluster.check.enable", kindBoolean, configRule{}, "MetadataClusterCheck", func(c *Config) any { return &c.MetadataClusterCheck }, ""},
	}
}

// ignoredKeys are those without a field, security's aside.
func ignoredKeys() []configKey {
	const (
		noMetrics   = "there are no metrics yet"
		serializer  = "a Java class; serializers are arguments of `New`"
		noTelemetry = "no telemetry is pushed (KIP-714) yet"
	)
	return []configKey{
		{"key.serializer", kindClass, configRule{}, "", nil, serializer},
		{"value.serializer", kindClass, configRule{}, "", nil, serializer},
		{"interceptor.classes", kindList, configRule{}, "", nil, "Java classes; interceptors are arguments of `New`"},
		{"partitioner.class", kindClass, configRule{}, "", nil, "a Java class; assign `Config.Partitioner`, package partitioners has some"},
		{"buffer.memory.allocation.strategy", kindString, anyCase("full", "incremental"), "", nil, "memory always grows with the bytes in it, also of compressed batches"},
		{"client.dns.lookup", kindString, oneOf("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"), "", nil,
			"all addresses of a name are tried; canonical names are for Kerberos, which is not there"},
		{"config.providers", kindList, configRule{}, "", nil, "Java classes; replace references to them before `ParseConfig`, which refuses those that are left"},
		{"transaction.two.phase.commit.enable", kindBoolean, configRule{}, "", nil, "there are no transactions yet"},
		{"enable.metrics.push", kindBoolean, configRule{}, "", nil, noTelemetry},
		{"metric.reporters", kindList, configRule{}, "", nil, noMetrics},
		{"metrics.num.samples", kindInt, atLeast(1), "", nil, noMetrics},
		{"metrics.sample.window.ms", kindLong, atLeast(0), "", nil, noMetrics},
		{"metrics.recording.level", kindString, oneOf("INFO", "DEBUG", "TRACE"), "", nil, noMetrics},
	}
}
