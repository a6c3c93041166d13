package servers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// KubernetesServer is a real API server of Kubernetes.
type KubernetesServer struct{ *Server }

// KubernetesVersion is the version that kube-apiserver.sh builds, and to which the simulated one is held.
const KubernetesVersion = "v1.37.2"

// kubernetesToken is the bearer token of the only user.
const kubernetesToken = "lockquake"

// StartKubernetes starts a kube-apiserver that keeps its objects in an etcd, and returns when it is
// ready and has the namespace default. The args are added to its command line and override the
// defaults. The error wraps ErrMissing if there is no kube-apiserver; kube-apiserver.sh builds one. The
// caller has to stop it before the etcd.
func StartKubernetes(etcd *EtcdServer, args ...string) (*KubernetesServer, error) {
	path, err := findKubernetes()
	if err != nil {
		return nil, err
	}
	file := func(s *Server, name string) string { return filepath.Join(s.Dir, name) }
	s, err := launch(program{
		path: path,
		prepare: func(s *Server) error {
			// Without a group, the user has no privilege when the server is overloaded.
			users := []byte(kubernetesToken + ",lockquake,lockquake\n")
			return errors.Join(writeSigningKey(file(s, "key")), os.WriteFile(file(s, "tokens"), users, 0o600))
		},
		args: func(s *Server) []string {
			return append([]string{
				"--etcd-servers=http://" + strings.Join(etcd.Endpoints(), ",http://"),
				"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(s.port), "--cert-dir=" + s.Dir,
				"--token-auth-file=" + file(s, "tokens"), "--authorization-mode=AlwaysAllow",
				"--service-account-issuer=https://kubernetes.default.svc",
				"--service-account-key-file=" + file(s, "key"), "--service-account-signing-key-file=" + file(s, "key"),
				"--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
			}, args...)
		},
		ready: func(s *Server) error {
			k := &KubernetesServer{s}
			return errors.Join(k.answers("/readyz"), k.answers("/api/v1/namespaces/default"))
		},
	})
	if err != nil {
		return nil, err
	}
	return &KubernetesServer{s}, nil
}

// findKubernetes returns the path of the program that kube-apiserver.sh has built.
func findKubernetes() (string, error) {
	const name = "kube-apiserver"
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("servers: %w", err)
	}
	path := filepath.Join(cache, "lockquake", name)
	if _, err := os.Stat(path); err != nil {
		if path, err = find(name); err != nil {
			return "", err
		}
	}
	text, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("servers: %s --version: %w", path, err)
	}
	if version := strings.TrimPrefix(strings.TrimSpace(string(text)), "Kubernetes "); version != KubernetesVersion {
		return "", fmt.Errorf("servers: %w: %s is of version %s, not %s", ErrMissing, path, version, KubernetesVersion)
	}
	return path, nil
}

// writeSigningKey writes a new key for the tokens of service accounts, without which the server does not start.
func writeSigningKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// answers returns an error unless the server answers a GET of a path with 200.
func (s *KubernetesServer) answers(path string) error {
	const limit = 10 * time.Second
	client := s.Client()
	client.Timeout = limit
	defer client.CloseIdleConnections()
	answer, err := client.Get("https://" + s.Addr + path)
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", path, answer.Status)
	}
	return nil
}

// Client returns a client of a user who may do everything. It has a connection of HTTP/2 of its own, as a
// process with client-go has, and accepts the certificate that the server has made for itself.
func (*KubernetesServer) Client() *http.Client {
	const limit = 20 * time.Second // a test fails instead of hanging
	return &http.Client{Timeout: limit, Transport: authorized{&http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
	}}}
}

// authorized adds the token of the user to each request.
type authorized struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+kubernetesToken)
	return a.Transport.RoundTrip(r)
}
