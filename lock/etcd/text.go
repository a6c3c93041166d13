package etcd

import (
	"fmt"
	"strings"
)

// Text describes a request in one line.
func Text(r Request) string {
	switch r := r.(type) {
	case *Range:
		return fmt.Sprintf("range%+v", *r)
	case *Put:
		return fmt.Sprintf("put%+v", *r)
	case *Delete:
		return fmt.Sprintf("delete%+v", *r)
	case *Txn:
		return fmt.Sprintf("txn%+v{%s}{%s}", r.If, texts(r.Then), texts(r.Else))
	case *Compact:
		return fmt.Sprintf("compact%+v", *r)
	case *Grant:
		return fmt.Sprintf("grant%+v", *r)
	case *Revoke:
		return fmt.Sprintf("revoke%+v", *r)
	case *KeepAlive:
		return fmt.Sprintf("keepalive%+v", *r)
	case *TimeToLive:
		return fmt.Sprintf("ttl%+v", *r)
	}
	return fmt.Sprintf("%T", r)
}

func texts(ops []Request) string {
	var all []string
	for _, op := range ops {
		all = append(all, Text(op))
	}
	return strings.Join(all, "")
}
