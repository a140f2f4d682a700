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

// pemBlocks finds the blocks of PEM in text. In properties their line breaks are often blanks, or lost.
func pemBlocks(text string) []*pem.Block {
	block := regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END `)
	text = block.ReplaceAllStringFunc(text, func(s string) string {
		m := block.FindStringSubmatch(s)
		return "\n-----BEGIN " + m[1] + "-----\n" + strings.Join(strings.Fields(m[2]), "\n") + "\n-----END "
	})
	var blocks []*pem.Block
	for rest := []byte(text); ; {
		var b *pem.Block
		if b, rest = pem.Decode(rest); b == nil {
			return blocks
		}
		blocks = append(blocks, b)
	}
}

// errNoCertificate says that there was no block of that type.
var errNoCertificate = errors.New("there is no certificate in it")

// addCertificates adds those in text to pool; there must be one.
func addCertificates(pool *x509.CertPool, text string) error {
	n := 0
	for _, b := range pemBlocks(text) {
		if b.Type != "CERTIFICATE" {
			continue
		}
		n++
		c, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return fmt.Errorf("certificate %d: %w", n, err)
		}
		pool.AddCert(c)
	}
	if n == 0 {
		return errNoCertificate
	}
	return nil
}

// keyPair makes a certificate of a chain and its key. Errors about the key match errKey.
func keyPair(chain, private, password string) (tls.Certificate, error) {
	var certificates, key []byte
	for _, b := range pemBlocks(chain) {
		if b.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(b.Bytes); err != nil {
			return tls.Certificate{}, err
		}
		certificates = append(certificates, pem.EncodeToMemory(b)...)
	}
	if certificates == nil {
		return tls.Certificate{}, errNoCertificate
	}
	for _, b := range pemBlocks(private) {
		if !strings.HasSuffix(b.Type, "PRIVATE KEY") {
			continue
		}
		open, err := openKey(b, password)
		if err != nil {
			return tls.Certificate{}, fmt.Errorf("%w: %w", errKey, err)
		}
		key = pem.EncodeToMemory(open)
		break
	}
	if key == nil {
		return tls.Certificate{}, fmt.Errorf("%w: there is none in it", errKey)
	}
	pair, err := tls.X509KeyPair(certificates, key)
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
