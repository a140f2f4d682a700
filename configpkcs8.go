package producer

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des" //nolint:gosec // what keys were encrypted with decides
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // what keys were encrypted with decides
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"unicode/utf16"
)

// configpkcs8.go owns the opening of private keys that a password protects. Pure functions.

// The parts of an encrypted key in PKCS#8 (RFC 5208, 5958), under PBES2 (RFC 8018) or PKCS#12 (RFC 7292).
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
	pkcs12Params struct {
		Salt       []byte
		Iterations int
	}
)

// maxIterations bounds the work a key file can cause; OpenSSL's default is 2048, others go to a million.
const maxIterations = 10_000_000

var errEncryption = errors.New("malformed encryption")

// decryptPKCS8 opens what OpenSSL writes by default, PBES2 with PBKDF2 and AES, and what Java 17 opens,
// PBE-SHA1-3DES. Other algorithms are errors.ErrUnsupported.
func decryptPKCS8(der []byte, password string) ([]byte, error) {
	var k encryptedKey
	if err := unmarshal(der, &k); err != nil {
		return nil, err
	}
	var mode cipher.BlockMode
	var err error
	switch id := k.Algorithm.Algorithm.String(); id {
	case "1.2.840.113549.1.5.13":
		mode, err = pbes2(k.Algorithm.Parameters.FullBytes, password)
	case "1.2.840.113549.1.12.1.3":
		mode, err = pbeSHA1TripleDES(k.Algorithm.Parameters.FullBytes, password)
	default:
		err = fmt.Errorf("encrypted with algorithm %s: %w", id, errors.ErrUnsupported)
	}
	if err != nil {
		return nil, err
	}
	size := mode.BlockSize()
	if len(k.Data) == 0 || len(k.Data)%size != 0 {
		return nil, errEncryption
	}
	plain := make([]byte, len(k.Data))
	mode.CryptBlocks(plain, k.Data)
	n := int(plain[len(plain)-1]) // bytes of padding, each of this value
	errPassword := errors.New("ssl.key.password does not open it")
	if n == 0 || n > size || !bytes.HasSuffix(plain, bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, errPassword
	}
	plain = plain[:len(plain)-n]
	var key asn1.RawValue // one wrong password in some hundred leaves what looks like padding
	if rest, err := asn1.Unmarshal(plain, &key); err != nil || len(rest) > 0 || key.Tag != asn1.TagSequence {
		return nil, errPassword
	}
	return plain, nil
}

// pbes2 decrypts with AES and a key that PBKDF2 makes of the password.
func pbes2(parameters []byte, password string) (cipher.BlockMode, error) {
	var scheme pbes2Parameters
	var kdf pbkdf2Params
	var iv []byte
	if err := unmarshal(parameters, &scheme); err != nil {
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
	if len(iv) != aes.BlockSize || kdf.Iterations < 1 || kdf.Iterations > maxIterations {
		return nil, errEncryption
	}
	key, err := pbkdf2.Key(digest, password, kdf.Salt, kdf.Iterations, size)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewCBCDecrypter(block, iv), nil
}

// pbeSHA1TripleDES decrypts with triple DES and a key that PKCS#12's way makes of the password.
func pbeSHA1TripleDES(parameters []byte, password string) (cipher.BlockMode, error) {
	var kdf pkcs12Params
	if err := unmarshal(parameters, &kdf); err != nil {
		return nil, err
	}
	if len(kdf.Salt) == 0 || kdf.Iterations < 1 || kdf.Iterations > maxIterations {
		return nil, errEncryption
	}
	block, err := des.NewTripleDESCipher(pkcs12Bytes(1, password, kdf, 24)) //nolint:gosec // what the key was encrypted with decides
	if err != nil {
		return nil, err
	}
	return cipher.NewCBCDecrypter(block, pkcs12Bytes(2, password, kdf, des.BlockSize)), nil
}

// pkcs12Bytes makes size bytes of a password with SHA-1, for a purpose: 1 is a key, 2 the first vector
// (RFC 7292, appendix B.2).
func pkcs12Bytes(purpose byte, password string, kdf pkcs12Params, size int) []byte {
	const block = sha1.BlockSize
	full := func(b []byte) []byte { // repeated to whole blocks
		n := (len(b) + block - 1) / block * block
		return bytes.Repeat(b, n/len(b)+1)[:n]
	}
	var text []byte
	for _, unit := range append(utf16.Encode([]rune(password)), 0) {
		text = binary.BigEndian.AppendUint16(text, unit)
	}
	input := append(full(kdf.Salt), full(text)...)
	var made []byte
	for {
		hash := sha1.Sum(append(bytes.Repeat([]byte{purpose}, block), input...)) //nolint:gosec // PKCS#12 has this one
		for range kdf.Iterations - 1 {
			hash = sha1.Sum(hash[:]) //nolint:gosec // PKCS#12 has this one
		}
		if made = append(made, hash[:]...); len(made) >= size {
			return made[:size]
		}
		add := full(hash[:])
		for at := 0; at < len(input); at += block {
			carry := 1 // of a sum with one more
			for i := block - 1; i >= 0; i-- {
				carry += int(input[at+i]) + int(add[i])
				input[at+i] = byte(carry)
				carry >>= 8
			}
		}
	}
}

// unmarshal reads all of der.
func unmarshal(der []byte, v any) error {
	rest, err := asn1.Unmarshal(der, v)
	if err != nil {
		return fmt.Errorf("%w: %w", errEncryption, err)
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: something follows it", errEncryption)
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
