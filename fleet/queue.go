package fleet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// What a server holds: one stream with the pieces of all campaigns, one bucket of keys and values about campaigns,
// and for each campaign a bucket of objects, with its description and its results.
const (
	pieceStream  = "lockquake-pieces"
	pieceSubject = "lockquake.pieces" // .BUILD.CAMPAIGN.PIECE
	jobBucket    = "lockquake-jobs"   // CAMPAIGN, CAMPAIGN.plan, CAMPAIGN.failed
	bucketOf     = "lockquake-"       // before the name of the campaign
	askWorkers   = "lockquake.workers"

	description = "description" // an object: the campaign
	dataFiles   = "files"       // an object: the files of its distributions
	cutting     = "cut"         // the piece that is the first one, and then cuts the others
)

// queue is the connection to a server with what it holds.
type queue struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	jobs   jetstream.KeyValue
	stream jetstream.Stream
}

// job is a campaign on the fleet.
type job struct {
	Name       string            `json:"name"`
	ID         string            `json:"id"` // another one when it is submitted again
	Scenario   string            `json:"scenario"`
	Seeds      results.SeedRange `json:"seeds"`
	Strategies int               `json:"strategies"`
	Build      string            `json:"build"` // of the programs that may run it
	Submitted  time.Time         `json:"submitted"`
}

// piece is a message: a part of a campaign.
type piece struct {
	Job   string            `json:"job"`
	ID    string            `json:"id"` // of the job
	Seeds results.SeedRange `json:"seeds"`
	Cut   bool              `json:"cut,omitempty"` // cut all pieces after this one
	Nonce string            `json:"nonce"`         // the server drops a piece that was published with the same nonce before
}

// failure is a piece that was given up.
type failure struct {
	Piece  string `json:"piece"`
	Worker string `json:"worker"` // the last one
	Times  int    `json:"times"`
	Text   string `json:"text"` // what the program said
}

// open opens what the server holds, and creates what is missing. Streams that are there are taken as they are, such
// as those with replicas that the operator of a cluster has created.
func open(conn *nats.Conn, js jetstream.JetStream) (*queue, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*firstWait)
	defer cancel()
	q := &queue{conn: conn, js: js}
	return q, patiently(ctx, func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{
			Name: pieceStream, Subjects: []string{pieceSubject + ".>"}, Retention: jetstream.WorkQueuePolicy,
			Description: "pieces of lockquake's campaigns that are not done",
		})
		if err == nil || errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			q.stream, err = js.Stream(ctx, pieceStream)
		}
		if err != nil {
			return err
		}
		q.jobs, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: jobBucket, Description: "lockquake's campaigns"})
		if errors.Is(err, jetstream.ErrBucketExists) {
			q.jobs, err = js.KeyValue(ctx, jobBucket)
		}
		return err
	})
}

func (q *queue) close() { q.conn.Close() }

// buildToken is a build as a part of a subject or of the name of a consumer.
func buildToken(build string) string { return shortHash([]byte(build)) }

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// nameOf returns the name of a campaign, which is the same each time it is submitted.
func nameOf(s *scenarios.Scenario, r campaign.Request, build string) string {
	text := fmt.Sprintf("%q", []any{s.Name, s.Hash, s.OverrideTexts(), r.Strategies, r.Seeds, build})
	return regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(s.Name, "-") + "-" + shortHash([]byte(text))
}

// nameOfPiece returns the name of the result of a piece.
func nameOfPiece(seeds results.SeedRange) string {
	return fmt.Sprintf("seeds-%d-%d", seeds.First, seeds.Last)
}

func planKey(name string) string   { return name + ".plan" }
func failedKey(name string) string { return name + ".failed" }

// value reads a value about a campaign, and reports whether there is one.
func (q *queue) value(ctx context.Context, key string, into any) (bool, error) {
	entry, err := q.jobs.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(entry.Value(), into)
}

// create stores a value, unless there is one.
func (q *queue) create(ctx context.Context, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err = q.jobs.Create(ctx, key, data); errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	return err
}

// list returns all campaigns, the oldest first.
func (q *queue) list(ctx context.Context) ([]job, error) {
	keys, err := q.jobs.ListKeys(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for key := range keys.Keys() {
		if !strings.Contains(key, ".") {
			names = append(names, key)
		}
	}
	if ctx.Err() != nil { // the list has an end then too
		return nil, ctx.Err()
	}
	var all []job
	for _, name := range names {
		var j job
		found, err := q.value(ctx, name, &j)
		if err != nil {
			return nil, err
		}
		if found {
			all = append(all, j)
		}
	}
	slices.SortFunc(all, func(a, b job) int {
		return cmp.Or(a.Submitted.Compare(b.Submitted), strings.Compare(a.Name, b.Name))
	})
	return all, nil
}

// submit stores a campaign with its description, if it is not there. A campaign is visible when its description is.
func (q *queue) submit(ctx context.Context, j job, text []byte, files map[string][]byte) error {
	store, err := q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucketOf + j.Name, Description: "results of lockquake's campaign " + j.Name})
	if errors.Is(err, jetstream.ErrBucketExists) {
		store, err = q.results(ctx, j.Name)
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(files)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{description: text, dataFiles: data} {
		if _, err := store.Put(ctx, jetstream.ObjectMeta{Name: name}, bytes.NewReader(content)); err != nil {
			return err
		}
	}
	return q.create(ctx, j.Name, j)
}

// results returns the bucket of the results of a campaign.
func (q *queue) results(ctx context.Context, name string) (jetstream.ObjectStore, error) {
	return q.js.ObjectStore(ctx, bucketOf+name)
}

// publish adds a piece to the stream. What is published twice within two minutes is there once.
func (q *queue) publish(ctx context.Context, j job, p piece) error {
	m, err := p.message(j)
	if err != nil {
		return err
	}
	_, err = q.js.PublishMsg(ctx, m)
	return err
}

func (p piece) message(j job) (*nats.Msg, error) {
	name := nameOfPiece(p.Seeds)
	if p.Cut {
		name = cutting
	}
	data, err := json.Marshal(p)
	m := nats.NewMsg(strings.Join([]string{pieceSubject, buildToken(j.Build), j.Name, name}, "."))
	m.Data = data
	m.Header.Set(jetstream.MsgIDHeader, p.Nonce+" "+name)
	return m, err
}

// cutAll publishes the pieces of a campaign. The first one may be done already.
func (q *queue) cutAll(ctx context.Context, j job, by plan, nonce string) error {
	var sent []jetstream.PubAckFuture
	for seeds := range by.pieces(j.Seeds) {
		m, err := piece{Job: j.Name, ID: j.ID, Seeds: seeds, Nonce: nonce}.message(j)
		if err != nil {
			return err
		}
		ack, err := q.js.PublishMsgAsync(m)
		if err != nil {
			return err
		}
		sent = append(sent, ack)
	}
	for _, ack := range sent {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// remove removes a campaign: what it is, then what waits, then its results.
func (q *queue) remove(ctx context.Context, j job) error {
	for _, key := range []string{j.Name, planKey(j.Name), failedKey(j.Name)} {
		if err := q.jobs.Purge(ctx, key); err != nil {
			return err
		}
	}
	if err := q.stream.Purge(ctx, jetstream.WithPurgeSubject(strings.Join([]string{pieceSubject, buildToken(j.Build), j.Name, ">"}, "."))); err != nil {
		return err
	}
	if err := q.js.DeleteObjectStore(ctx, bucketOf+j.Name); err != nil && !gone(err) {
		return err
	}
	return nil
}

// gone reports whether an error says that a campaign was removed.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrKeyNotFound)
}

// done returns the names of the pieces that have a result.
func (q *queue) done(ctx context.Context, store jetstream.ObjectStore) (map[string]bool, error) {
	objects, err := store.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, nil
	}
	names := map[string]bool{}
	for _, o := range objects {
		names[o.Name] = true
	}
	return names, err
}

// fetch copies an object.
func fetch(ctx context.Context, store jetstream.ObjectStore, name string, to io.Writer) error {
	object, err := store.Get(ctx, name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, object)
	return errors.Join(err, object.Close())
}

// A server that is killed answers no more. firstWait is the time until it is asked again, and each attempt gets twice the
// time of the one before, up to longestWait, for what is large on a slow network.
const (
	firstWait   = 10 * time.Second
	longestWait = 5 * time.Minute
)

// patiently repeats what fails while there is no connection, or while the server starts. It gives up when ctx ends, or
// when a campaign was removed.
func patiently(ctx context.Context, do func(context.Context) error) error {
	limit := firstWait
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		attempt, cancel := context.WithTimeout(ctx, limit)
		limit = min(2*limit, longestWait)
		err := do(attempt)
		cancel()
		if err == nil || gone(err) || refused(err) {
			return err
		}
		pause(ctx, wait)
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, context.DeadlineExceeded):
			return err
		case cause != nil:
			return cause
		}
	}
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// refused reports whether trying again has no effect.
func refused(err error) bool {
	return errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrPermissionViolation) || errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, jetstream.ErrMaxBytesExceeded)
}
