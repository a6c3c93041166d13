package etcdclient

import _ "unsafe" // for go:linkname

// valCtxCh is a channel of the client that is never closed. It is made before any process exists, and a goroutine that
// waits for it would keep its process from coming to rest. A nil channel is never ready either.
//
//go:linkname valCtxCh go.etcd.io/etcd/client/v3.valCtxCh
var valCtxCh chan struct{} //nolint:gochecknoglobals // it is that of the client

func init() { //nolint:gochecknoinits // it must not change while a client runs
	valCtxCh = nil
}
