package producer

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // what keys were encrypted with decides
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"hash"
)

// configpkcs8.go owns the opening of private keys that a password protects. Pure functions.

// The parts of an encrypted key in PKCS#8 (RFC 5208, 5958) under PBES2 (RFC 8018).
type (
	encryptedKey struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}
	pbes2Parameters struct{ KDF, Cipher pkix.AlgorithmIdentifier }
	pbkdf2Params    struct {
		Salt       []byte
		Iterations int
		KeyLength  int                      `asn1:"optional"`
		PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
	}
)

// maxIterations bounds the work a key file can cause; OpenSSL's default is 2048, others go to a million.
const maxIterations = 10_000_000

// decryptPKCS8 opens what OpenSSL and Java write: PBES2 with PBKDF2 and AES. Other algorithms are
// errors.ErrUnsupported.
func decryptPKCS8(der []byte, password string) ([]byte, error) {
	var k encryptedKey
	var scheme pbes2Parameters
	var kdf pbkdf2Params
	var iv []byte
	if err := unmarshal(der, &k); err != nil {
		return nil, err
	}
	if id := k.Algorithm.Algorithm.String(); id != "1.2.840.113549.1.5.13" {
		return nil, fmt.Errorf("encrypted with algorithm %s: %w", id, errors.ErrUnsupported)
	}
	if err := unmarshal(k.Algorithm.Parameters.FullBytes, &scheme); err != nil {
		return nil, err
	}
	if id := scheme.KDF.Algorithm.String(); id != "1.2.840.113549.1.5.12" {
		return nil, fmt.Errorf("password derived with algorithm %s: %w", id, errors.ErrUnsupported)
	}
	if err := unmarshal(scheme.KDF.Parameters.FullBytes, &kdf); err != nil {
		return nil, err
	}
	digest, err := pbkdf2Hash(kdf.PRF.Algorithm)
	if err != nil {
		return nil, err
	}
	size, err := aesKeySize(scheme.Cipher.Algorithm)
	if err != nil {
		return nil, err
	}
	if err := unmarshal(scheme.Cipher.Parameters.FullBytes, &iv); err != nil {
		return nil, err
	}
	if len(iv) != aes.BlockSize || len(k.Data) == 0 || len(k.Data)%aes.BlockSize != 0 || kdf.Iterations < 1 || kdf.Iterations > maxIterations {
		return nil, errors.New("malformed encryption")
	}
	key, err := pbkdf2.Key(digest, password, kdf.Salt, kdf.Iterations, size)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	plain := make([]byte, len(k.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, k.Data)
	n := int(plain[len(plain)-1]) // bytes of padding, each of this value
	if n == 0 || n > aes.BlockSize || !bytes.HasSuffix(plain, bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, errors.New("ssl.key.password does not open it")
	}
	return plain[:len(plain)-n], nil
}

// unmarshal reads all of der.
func unmarshal(der []byte, v any) error {
	rest, err := asn1.Unmarshal(der, v)
	if err != nil {
		return fmt.Errorf("malformed encryption: %w", err)
	}
	if len(rest) > 0 {
		return errors.New("malformed encryption: something follows it")
	}
	return nil
}

// pbkdf2Hash is the hash of an HMAC; SHA-1 if none is named.
func pbkdf2Hash(id asn1.ObjectIdentifier) (func() hash.Hash, error) {
	switch id.String() {
	case "", "1.2.840.113549.2.7":
		return sha1.New, nil
	case "1.2.840.113549.2.9":
		return sha256.New, nil
	case "1.2.840.113549.2.10":
		return sha512.New384, nil
	case "1.2.840.113549.2.11":
		return sha512.New, nil
	}
	return nil, fmt.Errorf("password derived with hash %s: %w", id, errors.ErrUnsupported)
}

// aesKeySize is that of AES in CBC mode, in bytes.
func aesKeySize(id asn1.ObjectIdentifier) (int, error) {
	switch id.String() {
	case "2.16.840.1.101.3.4.1.2":
		return 128 / 8, nil
	case "2.16.840.1.101.3.4.1.22":
		return 192 / 8, nil
	case "2.16.840.1.101.3.4.1.42":
		return 256 / 8, nil
	}
	return 0, fmt.Errorf("encrypted with cipher %s: %w", id, errors.ErrUnsupported)
}
