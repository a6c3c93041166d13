package servers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EtcdServer is a real cluster of etcd servers.
type EtcdServer struct{ Members []*Server }

// StartEtcd starts a cluster of etcd servers without data, and returns when it has a leader. The
// args are added to the command line of each member and override the defaults: heartbeats every
// 20 ms and elections after 200 ms, so the shortest TTL of a lease is 1 s. A member does not wait for
// the disk, so it keeps its data when it is killed, but not when the machine loses power. The error
// wraps ErrMissing if there is no etcd. The caller has to stop it.
func StartEtcd(members int, args ...string) (*EtcdServer, error) {
	path, err := find("etcd")
	if err != nil {
		return nil, err
	}
	var peers, cluster []string
	for i := range members {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		peers = append(peers, "http://127.0.0.1:"+strconv.Itoa(port))
		cluster = append(cluster, fmt.Sprintf("m%d=%s", i, peers[i]))
	}
	c := &EtcdServer{}
	for i := range members {
		s, err := launch(program{
			path: path,
			args: func(s *Server) []string {
				return slices.Concat([]string{
					"--name", fmt.Sprintf("m%d", i), "--data-dir", s.Dir,
					"--listen-client-urls", "http://" + s.Addr, "--advertise-client-urls", "http://" + s.Addr,
					"--listen-peer-urls", peers[i], "--initial-advertise-peer-urls", peers[i], "--initial-cluster", strings.Join(cluster, ","),
					"--heartbeat-interval", "20", "--election-timeout", "200", "--unsafe-no-fsync", "--log-level", "error",
				}, args)
			},
			ready: func(s *Server) error {
				if members > 1 {
					return nil // a member alone has no leader
				}
				return healthy(s)
			},
		})
		if err != nil {
			return nil, errors.Join(err, c.Stop())
		}
		c.Members = append(c.Members, s)
	}
	for _, s := range c.Members {
		if err := s.process.await(func() error { return healthy(s) }); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	return c, nil
}

// healthy returns an error unless the member knows a leader and answers a linearizable read.
func healthy(s *Server) error {
	const limit = time.Second
	client := http.Client{Timeout: limit}
	answer, err := client.Get("http://" + s.Addr + "/health")
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && !strings.Contains(string(text), `"true"`) {
		err = fmt.Errorf("health: %s", text)
	}
	return err
}

// Endpoints returns the addresses of the members for a client.
func (c *EtcdServer) Endpoints() []string {
	var all []string
	for _, s := range c.Members {
		all = append(all, s.Addr)
	}
	return all
}

// Stop kills the members and removes their folders.
func (c *EtcdServer) Stop() error {
	var err error
	for _, s := range c.Members {
		err = errors.Join(err, s.Stop())
	}
	return err
}
