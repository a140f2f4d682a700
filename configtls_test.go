package producer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pemPair makes a certificate for host that signs itself, and its key.
func pemPair(t *testing.T, host string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

// oneLine is PEM as properties with continuation lines have it.
func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", " ") }

// handshake connects client, as to host b1, to a server with certificate and key, and says how it went for
// the client, and whom the server saw. In the bubble, two that wait for each other do so for no time.
func handshake(t *testing.T, client *tls.Config, certificate, key string, change func(*tls.Config)) (peer []*x509.Certificate, err error) {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(t, err)
	server := &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS10}
	if change != nil {
		change(server)
	}
	client = client.Clone()
	client.ServerName = "b1"
	synctest.Test(t, func(*testing.T) {
		a, b := net.Pipe()
		deadline := time.Now().Add(time.Minute)
		_, _ = a.SetDeadline(deadline), b.SetDeadline(deadline)
		done := make(chan struct{})
		go func() {
			defer close(done)
			s := tls.Server(b, server)
			if s.Handshake() == nil {
				peer = s.ConnectionState().PeerCertificates
				_, _ = s.Write([]byte("x"))
			}
			b.Close()
		}()
		c := tls.Client(a, client)
		if err = c.Handshake(); err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		a.Close()
		<-done
	})
	return peer, err
}

func TestParseConfig_TLS_Handshake(t *testing.T) {
	certificate, key := pemPair(t, "b1")
	other, otherKey := pemPair(t, "b9")
	trust := []string{"security.protocol=ssl", "ssl.truststore.type=PEM", "ssl.truststore.certificates=" + oneLine(certificate+other)}
	for _, tc := range []struct {
		name       string
		properties []string
		broker     string // its certificate
		key        string
		change     func(*tls.Config)
		mistake    string
	}{
		{"trusted", trust, certificate, key, nil, ""},
		{"not trusted", trust[:1], certificate, key, nil, "certificate"},
		{"another host's", trust, other, otherKey, nil, "b9"},
		{"another host's, which nobody minds", append(trust, "ssl.endpoint.identification.algorithm="), other, otherKey, nil, ""},
		{"not trusted, host's name unchecked", []string{"security.protocol=SSL", "ssl.endpoint.identification.algorithm="}, certificate, key, nil, "certificate"},
		{"TLS 1.3 alone", append(trust, "ssl.enabled.protocols=TLSv1.3"), certificate, key, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, "protocol version"},
		{"an old version", append(trust, "ssl.enabled.protocols=TLSv1.1,TLSv1.2"), certificate, key, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11 }, ""},
		{"a suite of TLS 1.2", append(trust, "ssl.cipher.suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"), certificate, key, nil, ""},
		{"all suites of TLS 1.3", append(trust, "ssl.cipher.suites=TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256"), certificate, key, nil, ""},
		{"a suite the broker does not choose", append(trust, "ssl.cipher.suites=TLS_CHACHA20_POLY1305_SHA256", "ssl.endpoint.identification.algorithm="),
			certificate, key, nil, "ssl.cipher.suites"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg, unused, err := parse(tc.properties...)
			require.NoError(t, err)
			assert.Empty(t, unused)
			if suites, ok := strings.CutPrefix(tc.properties[len(tc.properties)-1], "ssl.cipher.suites="); ok {
				assert.Contains(t, cfg.String(), "ssl.cipher.suites = "+suites+"\n")
			}
			_, err = handshake(t, cfg.TLS, tc.broker, tc.key, tc.change)
			if tc.mistake == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tc.mistake)
			}
		})
	}
}

func TestParseConfig_TLS_Keystore(t *testing.T) {
	certificate, key := pemPair(t, "b1")
	both := filepath.Join(t.TempDir(), "both.pem")
	require.NoError(t, os.WriteFile(both, []byte("some words\n"+key+"more\n"+certificate), 0o600))
	for name, properties := range map[string][]string{
		"inline":             {"ssl.keystore.certificate.chain=" + certificate, "ssl.keystore.key=" + key},
		"inline in one line": {"ssl.keystore.certificate.chain=" + oneLine(certificate), "ssl.keystore.key=" + oneLine(key), "ssl.key.password=not needed"},
		"file":               {"ssl.keystore.location=" + both},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, unused, err := parse(append(properties, "security.protocol=SSL", "ssl.keystore.type=PEM",
				"ssl.truststore.type=PEM", "ssl.truststore.location="+both)...)
			require.NoError(t, err)
			assert.Empty(t, unused)
			peer, err := handshake(t, cfg.TLS, certificate, key, nil)
			require.NoError(t, err)
			require.Len(t, peer, 1)
			assert.Equal(t, "b1", peer[0].Subject.CommonName)
		})
	}
}

// A certificate is found whatever stands before and behind it, also where everything is in one line.
func TestParseConfig_TLS_WordsAroundCertificates(t *testing.T) {
	certificate, key := pemPair(t, "b1")
	other, otherKey := pemPair(t, "b1")
	words := "subject=CN = b1\n" + certificate + "issued by: us\n" + other + "and no more"
	for name, text := range map[string]string{"lines": words, "one line": oneLine(words)} {
		t.Run(name, func(t *testing.T) {
			cfg, _, err := parse("security.protocol=SSL", "ssl.truststore.type=PEM", "ssl.truststore.certificates="+text, "ssl.keystore.type=PEM",
				"ssl.keystore.certificate.chain="+text, "ssl.keystore.key="+oneLine("Bag Attributes: none\n"+key))
			require.NoError(t, err)
			_, err = handshake(t, cfg.TLS, certificate, key, nil)
			assert.NoError(t, err)
			peer, err := handshake(t, cfg.TLS, other, otherKey, nil)
			assert.NoError(t, err)
			assert.Len(t, peer, 2)
		})
	}
}

// The keys were made by openssl 3.0 from one in PKCS#8, with the password "secret":
// openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 and so on; with -v1 PBE-SHA1-3DES it is what Java 17 opens.
func TestParseConfig_TLS_EncryptedKey(t *testing.T) {
	certificate, err := os.ReadFile("testdata/client.crt")
	require.NoError(t, err)
	for _, tc := range []struct{ file, password, mistake string }{
		{"client-aes256-sha256.key", "secret", ""},
		{"client-aes192-sha512.key", "secret", ""},
		{"client-aes128-sha1.key", "secret", ""},
		{"client-3des-sha1.key", "secret", ""},
		{"client-3des-sha1.key", "guess", "ssl.key.password does not open it"},
		{"client-3des-sha1.key", "guess 0", "ssl.key.password does not open it"}, // though the padding looks right
		{"client-aes256-sha256.key", "guess", "ssl.key.password does not open it"},
		{"client-aes256-sha256.key", "", "ssl.key.password is not given"},
		{"client-scrypt.key", "secret", "openssl pkcs8"},
		{"client-des.key", "secret", "openssl pkcs8"},
		{"client-legacy.key", "secret", "openssl pkcs8"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			key, err := os.ReadFile("testdata/" + tc.file)
			require.NoError(t, err)
			_, _, err = parse("security.protocol=SSL", "ssl.keystore.type=PEM", "ssl.keystore.certificate.chain="+string(certificate),
				"ssl.keystore.key="+string(key), "ssl.key.password="+tc.password)
			if tc.mistake == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrConfig)
			assert.ErrorContains(t, err, tc.mistake)
			assert.ErrorContains(t, err, "ssl.keystore.key: ")
		})
	}
}

func TestParseConfig_TLS_Mistakes(t *testing.T) {
	certificate, key := pemPair(t, "b1")
	_, otherKey := pemPair(t, "b1")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	chain := "ssl.keystore.certificate.chain="
	for _, tc := range []struct {
		properties []string
		mistake    string
	}{
		{[]string{"ssl.enabled.protocols=TLSv1.1,TLSv1.3"}, "ssl.enabled.protocols: "},
		{[]string{"ssl.enabled.protocols=SSLv3"}, `ssl.enabled.protocols: "SSLv3"`},
		{[]string{"ssl.cipher.suites=TLS_AES_128_GCM_SHA256,TLS_MADE_UP"}, `"TLS_MADE_UP"`},
		{[]string{"ssl.cipher.suites=TLS_AES_128_GCM_SHA256", "ssl.enabled.protocols=TLSv1.2"}, "ssl.cipher.suites: "},
		{[]string{"ssl.cipher.suites=SSL_RSA_WITH_3DES_EDE_CBC_SHA", "ssl.enabled.protocols=TLSv1.3"}, "ssl.cipher.suites: "},
		{[]string{"ssl.endpoint.identification.algorithm=ldaps"}, "ssl.endpoint.identification.algorithm: "},
		{[]string{"ssl.keystore.location=k.jks"}, `ssl.keystore.type: "JKS"`},
		{[]string{"ssl.keystore.location=k.p12", "ssl.keystore.type=PKCS12"}, "set this to PEM"},
		{[]string{"ssl.truststore.location=k.jks"}, `ssl.truststore.type: "JKS"`},
		{[]string{"ssl.truststore.certificates=" + certificate}, "ssl.truststore.type: "},
		{[]string{"ssl.keystore.type=PEM", "ssl.keystore.key=" + key}, "ssl.keystore.key: it needs ssl.keystore.certificate.chain"},
		{[]string{"ssl.keystore.type=PEM", chain + certificate}, "ssl.keystore.certificate.chain: it needs ssl.keystore.key"},
		{[]string{"ssl.keystore.type=PEM", chain + certificate, "ssl.keystore.key=" + otherKey}, "ssl.keystore.key: "},
		{[]string{"ssl.keystore.type=PEM", chain + "x", "ssl.keystore.key=" + key}, "ssl.keystore.certificate.chain: "},
		{[]string{"ssl.keystore.type=PEM", chain + certificate, "ssl.keystore.key=x"}, "ssl.keystore.key: "},
		{[]string{"ssl.keystore.type=PEM", "ssl.keystore.location=" + empty}, "ssl.keystore.location: "},
		{[]string{"ssl.keystore.type=PEM", "ssl.keystore.location=" + empty + ".not"}, "ssl.keystore.location: "},
		{[]string{"ssl.keystore.type=PEM", "ssl.keystore.location=x", "ssl.keystore.key=" + key}, "ssl.keystore.location: "},
		{[]string{"ssl.keystore.type=PEM", "ssl.keystore.location=x", "ssl.keystore.password=y"}, "ssl.keystore.password: "},
		{[]string{"ssl.keystore.password=y"}, "ssl.keystore.password: "},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.location=" + empty}, "ssl.truststore.location: "},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.location=x", "ssl.truststore.certificates=y"}, "ssl.truststore.location: "},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.certificates=" + key}, "ssl.truststore.certificates: "},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.certificates=" + certificate + certificate[:len(certificate)/2]}, "has no end"},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.certificates=" + certificate + strings.Replace(certificate, "MII", "M!I", 1)}, "block 2 of PEM"},
		{[]string{"ssl.keystore.type=PEM", chain + certificate + strings.Replace(certificate, "MII", "MI", 1), "ssl.keystore.key=" + key}, "block 2 of PEM"},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.password=y"}, "ssl.truststore.password: "},
		{[]string{"ssl.truststore.type=PEM", "ssl.truststore.certificates="}, "ssl.truststore.certificates: it is empty"},
		{[]string{"ssl.truststore.location= "}, "ssl.truststore.location: it is empty"},
		{[]string{"ssl.keystore.type=PEM", chain + certificate, "ssl.keystore.key="}, "ssl.keystore.key: it is empty"},
		{[]string{"ssl.keystore.location="}, "ssl.keystore.location: it is empty"},
		{[]string{"security.protocol=SASL_SSL"}, "security.protocol: "},
	} {
		t.Run(tc.mistake, func(t *testing.T) {
			_, _, err := parse(append([]string{"security.protocol=SSL"}, tc.properties...)...)
			require.ErrorIs(t, err, ErrConfig)
			assert.ErrorContains(t, err, tc.mistake)
			assert.Len(t, mistakes(err), 1, "%v", err)
		})
	}
	_, _, err := parse("ssl.keystore.location=k.jks", "ssl.enabled.protocols=SSLv3")
	assert.NoError(t, err, "nobody looks at them without TLS")
}
