package producer

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// configpem.go owns the reading of certificates and keys in PEM. Pure functions, but for readPEM. No
// error of theirs has a piece of a key or password in it.

// maxPEM bounds a file of certificates, in bytes.
const maxPEM = 16 << 20

// errKey says that it is the key that cannot be used.
var errKey = errors.New("private key")

// readPEM reads a file, which must have something in it.
func readPEM(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // the path is the user's own setting
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxPEM:
		return "", fmt.Errorf("%s: more than %d bytes are no certificates", path, maxPEM)
	case len(bytes.TrimSpace(text)) == 0:
		return "", fmt.Errorf("%s is empty", path)
	}
	return string(text), nil
}

// pemBlocks finds the blocks of PEM in text, whatever stands around them. In properties their line breaks
// are often blanks, or lost. A block that cannot be read is an error: nobody would miss it until a
// handshake fails.
func pemBlocks(text string) ([]*pem.Block, error) {
	const begin = "-----BEGIN "
	found := regexp.MustCompile(`(?s)`+begin+`([A-Z0-9 ]+)-----(.*?)-----END ([A-Z0-9 ]+)-----`).FindAllStringSubmatch(text, -1)
	if len(found) != strings.Count(text, begin) {
		return nil, errors.New("a block of PEM in it has no end")
	}
	blocks := make([]*pem.Block, len(found))
	for i, m := range found {
		body := m[2]
		if !strings.Contains(body, ":") { // else there are headers, which are lines
			body = "\n" + strings.Join(strings.Fields(body), "\n") + "\n"
		}
		if blocks[i], _ = pem.Decode([]byte(begin + m[1] + "-----" + body + "-----END " + m[3] + "-----\n")); blocks[i] == nil {
			return nil, fmt.Errorf("block %d of PEM in it, %s, is malformed", i+1, m[1])
		}
	}
	return blocks, nil
}

// parseCertificates are those in text; there must be one.
func parseCertificates(text string) ([]*x509.Certificate, error) {
	blocks, err := pemBlocks(text)
	if err != nil {
		return nil, err
	}
	var certificates []*x509.Certificate
	for _, b := range blocks {
		if b.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d: %w", len(certificates)+1, err)
		}
		certificates = append(certificates, c)
	}
	if certificates == nil {
		return nil, errors.New("there is no certificate in it")
	}
	return certificates, nil
}

// parseKey is the first private key in text, decrypted, as PEM.
func parseKey(text, password string) ([]byte, error) {
	blocks, err := pemBlocks(text)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if strings.HasSuffix(b.Type, "PRIVATE KEY") {
			open, err := openKey(b, password)
			if err != nil {
				return nil, err
			}
			return pem.EncodeToMemory(open), nil
		}
	}
	return nil, errors.New("there is none in it")
}

// keyPair makes a certificate of a chain and its key. Errors about the key match errKey.
func keyPair(chain, private, password string) (tls.Certificate, error) {
	certificates, err := parseCertificates(chain)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := parseKey(private, password)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%w: %w", errKey, err)
	}
	var raw []byte
	for _, c := range certificates {
		raw = append(raw, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	pair, err := tls.X509KeyPair(raw, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%w: %w", errKey, err)
	}
	return pair, nil
}

// openKey decrypts a key if it is encrypted.
func openKey(b *pem.Block, password string) (*pem.Block, error) {
	const advice = "; decrypt it with: openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW"
	switch {
	case b.Headers["DEK-Info"] != "":
		return nil, errors.New("it is encrypted in OpenSSL's old way, which is not supported" + advice)
	case b.Type != "ENCRYPTED PRIVATE KEY":
		return b, nil
	case password == "":
		return nil, errors.New("it is encrypted, and ssl.key.password is not given")
	}
	der, err := decryptPKCS8(b.Bytes, password)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("%w%s", err, advice)
	}
	if err != nil {
		return nil, err
	}
	return &pem.Block{Type: "PRIVATE KEY", Bytes: der}, nil
}
