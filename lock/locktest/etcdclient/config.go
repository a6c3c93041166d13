package etcdclient

import (
	"context"
	"net"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/metadata"

	"lockquake/lock/env"
	"lockquake/lock/etcd"
	"lockquake/lock/locktest"
)

// New returns a client to the cluster of a scenario, which is closed at the end of the run. Each function can change its
// configuration before, such as timeouts and retries. The scenario must run on etcd.
func New(d locktest.Deps, change ...func(*clientv3.Config)) (*clientv3.Client, error) {
	config := configOf(d)
	for _, f := range change {
		f(&config)
	}
	client, err := clientv3.New(config)
	if err == nil {
		d.AtEnd(func() { _ = client.Close() })
	}
	return client, err
}

// configOf returns the configuration of a client. Its endpoints are the members.
func configOf(d locktest.Deps) clientv3.Config {
	if d.Etcd == nil {
		panic("etcdclient: the scenario has no etcd servers: take one whose first lock is in etcd, such as etcd-pause")
	}
	connecting := backoff.DefaultConfig
	connecting.Jitter = 0
	const patience = 20 * time.Second // of gRPC
	return clientv3.Config{
		Endpoints: d.Etcd.Members(),
		Logger:    zap.NewNop(),
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(_ context.Context, member string) (net.Conn, error) { return dial(d.Etcd, member) }),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: connecting, MinConnectTimeout: patience}),
			grpc.WithDisableServiceConfig(),
			grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"` + balancerName + `": {}}]}`),
			grpc.WithChainUnaryInterceptor(nameRequest),
			grpc.WithChainStreamInterceptor(openStream),
		},
	}
}

// opKey is the name of the metadata that has the purpose of a request.
const opKey = "lockquake-op"

// nameRequest sends the purpose of a request to the server, if its context has one.
func nameRequest(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if op := env.Op(ctx); op != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, opKey, op)
	}
	return next(ctx, method, req, reply, cc, opts...)
}

// openStream lets the opening of a stream take time.
func openStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := next(ctx, desc, cc, method, opts...)
	time.Sleep(time.Microsecond)
	return stream, err
}

// dial connects to a member, and serves the client's end of the connection.
func dial(e *locktest.Etcd, member string) (net.Conn, error) {
	far, err := e.Dial(member)
	if err != nil {
		return nil, err
	}
	near, end := net.Pipe()
	c := &conn{Conn: near, far: far, server: grpc.NewServer()}
	s := &server{conn: far}
	etcdserverpb.RegisterKVServer(c.server, s)
	etcdserverpb.RegisterLeaseServer(c.server, s)
	etcdserverpb.RegisterWatchServer(c.server, s)
	go func() { _ = c.server.Serve(&listener{conn: end, closed: make(chan struct{})}) }()
	go func() {
		_ = far.Broken(context.Background())
		c.server.Stop()
	}()
	return c, nil
}

// conn is the client's end of a pipe to the server of a member.
type conn struct {
	net.Conn
	far    etcd.Conn
	server *grpc.Server
	once   sync.Once
}

// Close implements net.Conn. It closes the connection to the member, and so ends the server.
func (c *conn) Close() error {
	c.once.Do(func() { go c.far.Close() })
	return c.Conn.Close()
}

// listener accepts one connection.
type listener struct {
	conn   net.Conn // nil: it has been accepted
	once   sync.Once
	closed chan struct{}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }
