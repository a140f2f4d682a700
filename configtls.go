package producer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// configtls.go owns the way from Java's ssl keys to a tls.Config, part of a configParser's work.

// security makes the tls.Config that security.protocol asks for.
func (p *configParser) security() {
	const key = "security.protocol"
	protocol := strings.ToUpper(p.text(key, "PLAINTEXT"))
	if strings.HasSuffix(protocol, "SSL") {
		c := &tls.Config{MinVersion: tls.VersionTLS12}
		p.protocols(c)
		p.cipherSuites(c)
		p.keystore(c)
		p.truststore(c)
		p.identification(c)
		p.cfg.TLS = c
	}
	if strings.HasPrefix(protocol, "SASL") {
		p.refuse(key, "%s needs sasl.mechanism and sasl.jaas.config, which this version does not support", protocol)
	}
}

// protocols allows the versions named, which must have no other between them: Go knows a lowest and a
// highest one.
func (p *configParser) protocols(c *tls.Config) {
	const key = "ssl.enabled.protocols"
	p.use(key)
	names, _ := p.values[key].([]string)
	var versions []uint16
	for _, name := range names {
		v := tlsVersion(name)
		if v == 0 {
			p.refuse(key, "%q is none of TLSv1, TLSv1.1, TLSv1.2, TLSv1.3", name)
			return
		}
		versions = append(versions, v)
	}
	if len(versions) == 0 {
		return
	}
	c.MinVersion, c.MaxVersion = slices.Min(versions), slices.Max(versions)
	if int(c.MaxVersion-c.MinVersion) >= len(versions) {
		p.refuse(key, "%s leaves out a version in between, which Go cannot", strings.Join(names, ","))
	}
}

// tlsVersion is a version by Java's name, or zero.
func tlsVersion(name string) uint16 {
	for v := uint16(tls.VersionTLS10); v <= tls.VersionTLS13; v++ {
		if tlsVersionName(v) == name {
			return v
		}
	}
	return 0
}

func tlsVersionName(v uint16) string {
	return strings.TrimSuffix(strings.Replace(tls.VersionName(v), "TLS ", "TLSv", 1), ".0")
}

// cipherSuites allows the suites named and no other. Go lets nobody choose among those of TLS 1.3: it
// ignores them in the list, so they are looked at when the broker has chosen.
func (p *configParser) cipherSuites(c *tls.Config) {
	const key = "ssl.cipher.suites"
	p.use(key)
	names, _ := p.values[key].([]string)
	if len(names) == 0 {
		return
	}
	var allowed []uint16
	older, newest := false, false
	for _, name := range names {
		suite := cipherSuite(name)
		if suite == nil {
			p.refuse(key, "Go does not know %q", name)
			continue
		}
		allowed = append(allowed, suite.ID)
		if slices.Contains(suite.SupportedVersions, tls.VersionTLS13) {
			newest = true
		} else {
			older = true
		}
	}
	c.CipherSuites = allowed
	if !newest && c.MaxVersion != tls.VersionTLS11 && c.MaxVersion != tls.VersionTLS10 {
		c.MaxVersion = tls.VersionTLS12
	}
	if !older {
		c.MinVersion = tls.VersionTLS13
	}
	if c.MaxVersion != 0 && c.MinVersion > c.MaxVersion && !p.wrong[key] {
		p.refuse(key, "none is for the versions of ssl.enabled.protocols")
	}
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if !slices.Contains(allowed, s.CipherSuite) {
			return fmt.Errorf("the broker chose %s, which ssl.cipher.suites does not have", tls.CipherSuiteName(s.CipherSuite))
		}
		return nil
	}
}

// cipherSuite is a suite by IANA's or Java's name, or nil.
func cipherSuite(name string) *tls.CipherSuite {
	if rest, ok := strings.CutPrefix(name, "SSL_"); ok {
		name = "TLS_" + rest
	}
	for _, s := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// identification without an algorithm checks certificates, but not for whom they were made.
func (p *configParser) identification(c *tls.Config) {
	const key = "ssl.endpoint.identification.algorithm"
	algorithm := p.text(key, "https")
	switch {
	case strings.EqualFold(algorithm, "https"):
		return
	case algorithm != "":
		p.refuse(key, "%q is neither https nor empty", algorithm)
		return
	}
	suites, roots := c.VerifyConnection, c.RootCAs
	c.InsecureSkipVerify = true // VerifyConnection does all but the host's name
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if suites != nil {
			if err := suites(s); err != nil {
				return err
			}
		}
		return verifyChain(s, roots)
	}
}

// verifyChain is what crypto/tls does, without the host's name.
func verifyChain(s tls.ConnectionState, roots *x509.CertPool) error {
	if len(s.PeerCertificates) == 0 {
		return errors.New("the broker has no certificate")
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range s.PeerCertificates[1:] {
		options.Intermediates.AddCert(c)
	}
	if _, err := s.PeerCertificates[0].Verify(options); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
	}
	return nil
}

// keystore is the client's own certificate, if it has one.
func (p *configParser) keystore(c *tls.Config) {
	const store, chainKey, keyKey = "ssl.keystore", "ssl.keystore.certificate.chain", "ssl.keystore.key"
	if p.empty(store+".location", chainKey, keyKey) {
		return
	}
	chain, private, password := p.text(chainKey, ""), p.text(keyKey, ""), p.text("ssl.key.password", "")
	file, ok := p.storeFile(store, chain != "" || private != "")
	chainFrom, privateFrom := chainKey, keyKey
	switch {
	case !ok:
		return
	case file != "":
		chain, private = file, file
		chainFrom, privateFrom = store+".location", store+".location"
	case chain == "" && private == "":
		return
	case chain == "":
		p.refuse(keyKey, "it needs %s too", chainKey)
		return
	case private == "":
		p.refuse(chainKey, "it needs %s too", keyKey)
		return
	}
	pair, err := keyPair(chain, private, password)
	switch {
	case errors.Is(err, errKey):
		p.refuse(privateFrom, "%w", err)
	case err != nil:
		p.refuse(chainFrom, "%w", err)
	default:
		c.Certificates = []tls.Certificate{pair}
	}
}

// truststore is whom to believe, unless it is the system's.
func (p *configParser) truststore(c *tls.Config) {
	const store, inline = "ssl.truststore", "ssl.truststore.certificates"
	if p.empty(store+".location", inline) {
		return
	}
	text, from := p.text(inline, ""), inline
	file, ok := p.storeFile(store, text != "")
	switch {
	case !ok || file == "" && text == "":
		return
	case file != "":
		text, from = file, store+".location"
	}
	certificates, err := parseCertificates(text)
	if err != nil {
		p.refuse(from, "%w", err)
	}
	c.RootCAs = x509.NewCertPool()
	for _, certificate := range certificates {
		c.RootCAs.AddCert(certificate)
	}
}

// empty refuses keys that are given without a value. Taken for not given, a truststore would silently
// become the system's.
func (p *configParser) empty(keys ...string) bool {
	found := false
	for _, key := range keys {
		if p.values[key] == "" {
			p.refuse(key, "it is empty")
			found = true
		}
	}
	return found
}

// storeFile is the content of a store's file, if it has one; there may be a store without. Not ok: there
// is a mistake about it, which is noted.
func (p *configParser) storeFile(store string, inline bool) (text string, ok bool) {
	format, password := p.text(store+".type", "JKS"), p.text(store+".password", "")
	location := store + ".location"
	path := p.text(location, "")
	switch {
	case path == "" && !inline:
		if password != "" {
			p.refuse(store+".password", "there is no store that it would open")
		}
		return "", password == ""
	case format != "PEM":
		p.refuse(store+".type", "%q is not supported: convert the store to PEM and set this to PEM", format)
	case password != "":
		p.refuse(store+".password", "a PEM store has none")
	case path == "":
		return "", true
	case inline:
		p.refuse(location, "the store's content is given as well")
	case strings.Contains(path, "-----BEGIN "): // perhaps a key, which an error about the file would show
		p.refuse(location, "it is the name of a file, not its content")
	default:
		text, err := readPEM(path)
		if err == nil {
			return text, true
		}
		p.refuse(location, "%w", err)
	}
	return "", false
}
