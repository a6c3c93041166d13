package reports

import (
	"os"
	"testing"
)

func TestTmp(t *testing.T) {
	for _, r := range []any{kleppmann(0), kleppmann(33), long()} {
		_ = r
	}
	Tell(kleppmann(0)).Write(os.Stdout, Options{})
	Tell(kleppmann(33)).Write(os.Stdout, Options{})
	Tell(long()).Write(os.Stdout, Options{})
}
