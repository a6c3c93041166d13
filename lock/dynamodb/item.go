package dynamodb

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"lockquake/lock"
)

// Table is the name of the table of locks.
const Table = "locks"

// The attributes of an item. The length of a lease and the end of a lease are in milliseconds.
const (
	attrName    = "name"
	attrHolder  = "holder"
	attrVersion = "rvn"
	attrLease   = "lease"
	attrFence   = "fence"
	attrExpires = "expires" // the end of the lease by the wall clock of its holder; only with the flaw that uses it
)

// record is an item. The zero value is that of an item that does not exist.
type record struct {
	holder  string // "": the lock is free
	version string
	lease   time.Duration
	fence   int64
}

type attributes = map[string]types.AttributeValue

func readRecord(a attributes) record {
	return record{
		holder: text(a[attrHolder]), version: text(a[attrVersion]),
		lease: time.Duration(number(a[attrLease])) * time.Millisecond, fence: number(a[attrFence]),
	}
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// number returns an integer, 0 if v is none.
func number(v types.AttributeValue) int64 {
	if n, ok := v.(*types.AttributeValueMemberN); ok {
		i, _ := strconv.ParseInt(n.Value, 10, 64)
		return i
	}
	return 0
}

func ofText(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func ofNumber(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// key returns the key of the item of a lock.
func key(name string) attributes { return attributes{attrName: ofText(name)} }

// recordOf returns the name of the record of a lock at the server.
func recordOf(name string) []string { return []string{Table + "/" + name} }

// holders reads the holder of a lock. Its lease lasts for its length after the last change of the item.
func holders(s lock.State) ([]lock.Holder, error) {
	if len(s.Records) == 0 || s.Records[0].Field(attrHolder) == "" {
		return nil, nil
	}
	r := s.Records[0]
	lease, err := strconv.ParseInt(r.Field(attrLease), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the attribute %s: %w", attrLease, err)
	}
	fence, _ := strconv.ParseInt(r.Field(attrFence), 10, 64) // a lock without tokens has none
	return []lock.Holder{{Owner: r.Field(attrHolder), Token: fence, For: time.Duration(lease) * time.Millisecond}}, nil
}
