package etcd

// Error is an error of the server.
type Error struct {
	Code    string // of gRPC, such as "NotFound"
	Message string
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is find an error by its message.
func (e *Error) Is(other error) bool {
	o, ok := other.(*Error)
	return ok && *o == *e
}

// The codes of gRPC that etcd uses.
const (
	codeInvalid      = "InvalidArgument"
	codeOutOfRange   = "OutOfRange"
	codeNotFound     = "NotFound"
	codePrecondition = "FailedPrecondition"
	codeUnavailable  = "Unavailable"
	codeExhausted    = "ResourceExhausted"
)

func failure(code, message string) *Error { return &Error{code, "etcdserver: " + message} }

// ErrEmptyKey is the error of a request without a key.
func ErrEmptyKey() error { return failure(codeInvalid, "key is not provided") }

// ErrKeyNotFound is the error of a put that keeps the value or the lease of a missing key.
func ErrKeyNotFound() error { return failure(codeInvalid, "key not found") }

// ErrValueProvided is the error of a put that keeps the value and has one.
func ErrValueProvided() error { return failure(codeInvalid, "value is provided") }

// ErrLeaseProvided is the error of a put that keeps the lease and has one.
func ErrLeaseProvided() error { return failure(codeInvalid, "lease is provided") }

// ErrDuplicateKey is the error of a transaction that changes a key twice.
func ErrDuplicateKey() error { return failure(codeInvalid, "duplicate key given in txn request") }

// ErrCompacted is the error of a revision that has been compacted.
func ErrCompacted() error {
	return failure(codeOutOfRange, "mvcc: required revision has been compacted")
}

// ErrFutureRevision is the error of a revision that does not exist yet.
func ErrFutureRevision() error {
	return failure(codeOutOfRange, "mvcc: required revision is a future revision")
}

// ErrLeaseNotFound is the error of a lease that does not exist.
func ErrLeaseNotFound() error { return failure(codeNotFound, "requested lease not found") }

// ErrLeaseExists is the error of a grant whose ID is taken.
func ErrLeaseExists() error { return failure(codePrecondition, "lease already exists") }

// ErrTTLTooLarge is the error of a grant that is longer than 9,000,000,000 s.
func ErrTTLTooLarge() error { return failure(codeOutOfRange, "too large lease TTL") }

// ErrTimeout is the error of a member that got no majority in time. It is unknown whether the
// request takes effect.
func ErrTimeout() error { return failure(codeUnavailable, "request timed out") }

// ErrLeaderChanged is the error of a read that began under another leader.
func ErrLeaderChanged() error { return failure(codeUnavailable, "leader changed") }

// ErrNoLeader is the error of a member that knows no leader.
func ErrNoLeader() error { return failure(codeUnavailable, "no leader") }

// ErrTooManyRequests is the error of a member that applies requests too slowly. It has not executed the
// request.
func ErrTooManyRequests() error { return failure(codeExhausted, "too many requests") }

// ErrStopped is the error of a member that is about to stop.
func ErrStopped() error { return failure(codeUnavailable, "server stopped") }

// Unavailable reports whether the server was not available: another attempt may succeed. It is unknown
// whether the request takes effect.
func (e *Error) Unavailable() bool { return e.Code == codeUnavailable }
