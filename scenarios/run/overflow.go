package run

import (
	"errors"
	"fmt"
	"os"
)

// logInMemory is how many bytes of a log of events stay in memory. The rest goes to a file.
const logInMemory = 64 << 20

// StorageError says that the temporary file with the events of a large run cannot be written or read, for example
// since the disk is full. It is not an error of the run.
type StorageError struct{ Err error }

func (e *StorageError) Error() string {
	return fmt.Sprintf("store the events of a large run in %s, the directory that TMPDIR sets: %v", os.TempDir(), e.Err)
}

func (e *StorageError) Unwrap() error { return e.Err }

// overflow is a temporary file, made by its first write. It implements history.Storage.
type overflow struct{ file *os.File }

// WriteAt implements io.WriterAt.
func (o *overflow) WriteAt(b []byte, at int64) (int, error) {
	if o.file == nil {
		file, err := os.CreateTemp("", "lockquake-*.log")
		if err != nil {
			return 0, err
		}
		// Unix frees the file of a program that is killed. Elsewhere an open file cannot be removed.
		_ = os.Remove(file.Name())
		o.file = file
	}
	return o.file.WriteAt(b, at)
}

// ReadAt implements io.ReaderAt. There was a write before.
func (o *overflow) ReadAt(b []byte, at int64) (int, error) { return o.file.ReadAt(b, at) }

// close frees the file.
func (o *overflow) close() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	if removed := os.Remove(o.file.Name()); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	if err != nil {
		return &StorageError{err}
	}
	return nil
}
