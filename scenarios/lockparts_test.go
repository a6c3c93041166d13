package scenarios

import (
	"testing"

	"lockquake/internal/strictyaml"
	"lockquake/lock"
)

// A lock section of one use of a strategy sets no part that only another family has.
func TestPartOfAnotherFamilyIsRefused(t *testing.T) {
	var file struct {
		Lock LockParams `yaml:"lock"`
	}
	at, err := strictyaml.Decoder{Keys: openKeys(Parts())}.Decode("f", []byte("lock:\n  owner: weak\n"), &file)
	if err != nil {
		t.Fatal(err)
	}
	v := validator{at: at}
	all := []lock.Part{{Name: "owner", Ways: []lock.Way{lock.Sound("weak", "")}, Families: []string{"other", "third"}}}
	want := "f:2:10: lock.owner: no part of this strategy; it is of the locks on other, third"
	if err := v.lock("lock", &file.Lock, nil, all); err == nil || err.Error() != want {
		t.Errorf("a part of another family: %v, want %s", err, want)
	}
	if err := v.lock("lock", &file.Lock, Families()[0].Parts, Parts()); err != nil {
		t.Errorf("a part of its own family: %v", err)
	}
}
