package network_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// selfSigned makes a certificate for host names and the pool that trusts it.
func selfSigned(t *testing.T, hosts ...string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     hosts,
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    time.Unix(0, 0),
		NotAfter:     time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private, Leaf: leaf}, roots
}

// withTLSCluster is withCluster with brokers that speak TLS and are called b1 and b2.
func withTLSCluster(t *testing.T, client func(roots *x509.CertPool) *tls.Config, test func(c *fakebroker.Cluster, d *driver)) {
	t.Helper()
	certificate, roots := selfSigned(t, "b1", "b2")
	synctest.Test(t, func(t *testing.T) {
		c := fakebroker.New(fakebroker.Nodes(2), fakebroker.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
		defer c.Close()
		cfg := settings()
		cfg.Dial = c.Dial
		cfg.TLS = client(roots)
		test(c, newDriver(t, cfg, nodeList(2)...))
	})
}

func TestConn_TLS_ServerNameIsTheNodesHost(t *testing.T) {
	withTLSCluster(t, func(roots *x509.CertPool) *tls.Config { return &tls.Config{RootCAs: roots} },
		func(_ *fakebroker.Cluster, d *driver) {
			d.connect(1)
			d.connect(2)
			d.send(1, idRequest())
			d.send(2, idRequest())
			d.await(network.Response)
			d.await(network.Response)
		})
}

func TestConn_TLS_OneByteAtATime(t *testing.T) { // I6
	withTLSCluster(t, func(roots *x509.CertPool) *tls.Config { return &tls.Config{RootCAs: roots} },
		func(c *fakebroker.Cluster, d *driver) {
			slow := fakebroker.Always(fakebroker.Action{Pieces: 1, Pace: ms})
			c.On(protocol.ApiVersions, slow)
			c.On(protocol.InitProducerID, slow)
			d.connect(1)
			d.send(1, idRequest())
			d.await(network.Response)
		})
}

func TestConn_TLS_RefusalIsAnAuthenticationErrorAndIsRetried(t *testing.T) {
	tests := []struct {
		name   string
		client func(roots *x509.CertPool) *tls.Config
	}{
		{"unknown authority", func(*x509.CertPool) *tls.Config { return &tls.Config{RootCAs: x509.NewCertPool()} }},
		{"other name", func(roots *x509.CertPool) *tls.Config { return &tls.Config{RootCAs: roots, ServerName: "elsewhere"} }},
		{"expired", func(roots *x509.CertPool) *tls.Config {
			return &tls.Config{RootCAs: roots, Time: func() time.Time { return time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) }}
		}},
		{"no common version", func(roots *x509.CertPool) *tls.Config {
			return &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS10, MinVersion: tls.VersionTLS10}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withTLSCluster(t, tt.client, func(c *fakebroker.Cluster, d *driver) {
				d.run(time.Second, 1)
				assert.Greater(t, len(c.Dials()), 2)
				e := d.await(network.Disconnected)
				require.ErrorIs(t, e.Err, errcode.ErrAuthentication)
				assert.NotErrorIs(t, e.Err, errcode.NetworkException)
				assert.ErrorContains(t, e.Err, "TLS hand-shake")
			})
		})
	}
}

func TestConn_TLS_PlaintextListener(t *testing.T) {
	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		d.Ready(1, time.Now())
		e := d.await(network.Disconnected)
		require.ErrorIs(t, e.Err, errcode.NetworkException, "it hung up without a word")
		assert.ErrorContains(t, e.Err, "plaintext listener")
	}, func(cfg *network.Config) { cfg.TLS = &tls.Config{} })

	withCluster(t, 1, func(_ *fakebroker.Cluster, d *driver) {
		d.Ready(1, time.Now())
		e := d.await(network.Disconnected)
		require.ErrorIs(t, e.Err, errcode.ErrAuthentication)
		assert.ErrorContains(t, e.Err, "does not speak TLS")
	}, func(cfg *network.Config) {
		cfg.TLS = &tls.Config{}
		cfg.Dial = plainServer(func(conn net.Conn) {
			go func() { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") }()
			silence(conn)
		})
	})
}

func TestConn_TLS_TLSListenerAndPlaintextClient(t *testing.T) { // J12
	withTLSCluster(t, func(*x509.CertPool) *tls.Config { return nil }, func(_ *fakebroker.Cluster, d *driver) {
		d.Ready(1, time.Now())
		e := d.await(network.Disconnected)
		require.ErrorIs(t, e.Err, errcode.NetworkException)
		assert.ErrorContains(t, e.Err, "TLS")
	})
}

func TestClient_OverTLS_PiecesArriveWhole(t *testing.T) {
	certificate, roots := selfSigned(t)
	cfg := settings()
	cfg.TLS = &tls.Config{RootCAs: roots}
	d := newDriver(t, cfg, listen(t, func(conn net.Conn) {
		echo(tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}}))
	}))
	d.connect(1)
	for _, n := range []int{0, 1, 1000, 100_000, 5 << 20} {
		whole, vectors := pieces(n)
		d.send(1, &network.Request{Key: protocol.Produce, Version: 9, Body: vectors})
		assert.Equal(t, whole, append([]byte{}, d.await(network.Response).Body...))
	}
}

func TestClient_OverTLS_MissingClientCertificate(t *testing.T) {
	certificate, roots := selfSigned(t)
	cfg := settings()
	cfg.TLS = &tls.Config{RootCAs: roots}
	d := newDriver(t, cfg, listen(t, func(conn net.Conn) {
		server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAnyClientCert})
		_ = server.Handshake()
		silence(conn) // or the alert could be lost in a reset
	}))
	d.Ready(1, time.Now())
	e := d.await(network.Disconnected)
	require.ErrorIs(t, e.Err, errcode.ErrAuthentication, "the server tells only after the client's hand-shake is done")
	assert.ErrorContains(t, e.Err, "certificate")
}
