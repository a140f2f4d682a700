package producer

// configsecuritykeys.go owns the part of the table of keys that is about TLS and SASL.

// tlsKeys are read by configtls.go, all into one field.
func tlsKeys() []configKey {
	const (
		field    = "TLS"
		jvm      = "names a part of a Java runtime"
		contexts = "Go has no SSL contexts; `ssl.enabled.protocols` says it all"
	)
	protocols := anyCase("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
	return []configKey{
		{"security.protocol", kindString, protocols, field, nil, "`SSL` makes a `tls.Config` of the `ssl.` keys, `PLAINTEXT` none; the other two are refused: there is no SASL yet"},
		{"ssl.enabled.protocols", kindList, configRule{}, field, nil, "TLSv1 to TLSv1.3, without gaps; empty: Go's choice"},
		{"ssl.cipher.suites", kindList, configRule{}, field, nil, "IANA's or Java's names; empty: Go's choice"},
		{"ssl.endpoint.identification.algorithm", kindString, configRule{}, field, nil, "https, or empty: the certificate is checked, but may be another host's"},
		{"ssl.keystore.type", kindString, configRule{}, field, nil, "must be PEM where there is a keystore; convert a JKS or PKCS12 one"},
		{"ssl.keystore.location", kindString, configRule{}, field, nil, "file with this client's key and certificate chain; read once"},
		{"ssl.keystore.key", kindPassword, configRule{}, field, nil, "this client's key itself"},
		{"ssl.keystore.certificate.chain", kindPassword, configRule{}, field, nil, "this client's certificates themselves"},
		{"ssl.key.password", kindPassword, configRule{}, field, nil, "of an encrypted key in PKCS#8"},
		{"ssl.keystore.password", kindPassword, configRule{}, field, nil, "PEM has none: an error"},
		{"ssl.truststore.type", kindString, configRule{}, field, nil, "must be PEM where there is a truststore; convert a JKS or PKCS12 one"},
		{"ssl.truststore.location", kindString, configRule{}, field, nil, "file with the certificates to trust; no truststore: the system's"},
		{"ssl.truststore.certificates", kindPassword, configRule{}, field, nil, "the certificates to trust themselves"},
		{"ssl.truststore.password", kindPassword, configRule{}, field, nil, "PEM has none: an error"},
		{"ssl.protocol", kindString, configRule{}, "", nil, contexts},
		{"ssl.provider", kindString, configRule{}, "", nil, jvm},
		{"ssl.keymanager.algorithm", kindString, configRule{}, "", nil, jvm},
		{"ssl.trustmanager.algorithm", kindString, configRule{}, "", nil, jvm},
		{"ssl.secure.random.implementation", kindString, configRule{}, "", nil, jvm},
		{"ssl.engine.factory.class", kindClass, configRule{}, "", nil, "a Java class; assign `Config.TLS`"},
		{"security.providers", kindString, configRule{}, "", nil, jvm},
	}
}

// saslKeys all wait for SASL. security.protocol refuses to do without.
func saslKeys() []configKey {
	var keys []configKey
	add := func(kind configKind, rule configRule, names ...string) {
		for _, name := range names {
			keys = append(keys, configKey{"sasl." + name, kind, rule, "", nil, "there is no SASL yet"})
		}
	}
	var free configRule
	add(kindString, free, "mechanism")
	add(kindPassword, free, "jaas.config")
	add(kindClass, free, "client.callback.handler.class", "login.callback.handler.class", "login.class")
	add(kindString, free, "kerberos.kinit.cmd", "kerberos.service.name")
	add(kindLong, free, "kerberos.min.time.before.relogin")
	add(kindDouble, free, "kerberos.ticket.renew.jitter", "kerberos.ticket.renew.window.factor")
	add(kindInt, free, "login.connect.timeout.ms", "login.read.timeout.ms")
	add(kindShort, between(0, 3600), "login.refresh.buffer.seconds")
	add(kindShort, between(0, 900), "login.refresh.min.period.seconds")
	add(kindDouble, between(0.5, 1), "login.refresh.window.factor")
	add(kindDouble, between(0, 0.25), "login.refresh.window.jitter")
	add(kindLong, free, "login.retry.backoff.max.ms", "login.retry.backoff.ms")
	add(kindBoolean, free, "oauthbearer.allow.unverified.audience", "oauthbearer.allow.unverified.issuer",
		"oauthbearer.assertion.claim.jti.include", "oauthbearer.header.urlencode")
	add(kindString, anyCase("ES256", "RS256"), "oauthbearer.assertion.algorithm")
	add(kindInt, between(0, 86400), "oauthbearer.assertion.claim.exp.seconds")
	add(kindInt, between(0, 3600), "oauthbearer.assertion.claim.nbf.seconds")
	add(kindString, free, "oauthbearer.assertion.claim.aud", "oauthbearer.assertion.claim.iss", "oauthbearer.assertion.claim.sub",
		"oauthbearer.assertion.file", "oauthbearer.assertion.private.key.file", "oauthbearer.assertion.template.file")
	add(kindPassword, free, "oauthbearer.assertion.private.key.passphrase", "oauthbearer.client.credentials.client.secret")
	add(kindString, free, "oauthbearer.client.credentials.client.id")
	add(kindInt, free, "oauthbearer.clock.skew.seconds")
	add(kindList, free, "oauthbearer.expected.audience")
	add(kindString, free, "oauthbearer.expected.issuer", "oauthbearer.jwks.endpoint.url", "oauthbearer.scope",
		"oauthbearer.scope.claim.name", "oauthbearer.sub.claim.name", "oauthbearer.token.endpoint.url")
	add(kindLong, free, "oauthbearer.jwks.endpoint.refresh.ms", "oauthbearer.jwks.endpoint.retry.backoff.max.ms",
		"oauthbearer.jwks.endpoint.retry.backoff.ms")
	add(kindClass, free, "oauthbearer.jwt.retriever.class", "oauthbearer.jwt.validator.class")
	return keys
}
