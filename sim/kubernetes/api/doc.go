// Package api defines the Lease objects of an API server of Kubernetes 1.37, without a network.
//
// A [Store] answers each [Request] with a [Response] (store.go, message.go), as the API server does with etcd behind
// it. The package imports nothing of the simulation. Its tests hold it to a real kube-apiserver.
package api
