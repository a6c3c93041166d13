package command

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

// fromGallery reads a result from which a page of docs is made, from a compressed file of docs/gallery.
func fromGallery[T any](t *testing.T, name string) *T {
	t.Helper()
	file, err := os.Open("../../docs/gallery/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	result := new(T)
	if err := json.NewDecoder(unpacked).Decode(result); err != nil {
		t.Fatal(err)
	}
	return result
}
