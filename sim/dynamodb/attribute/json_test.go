package attribute

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An item in its usual form is read without package json, and gives the same item or the same error.
func TestTheUsualFormIsReadAsPackageJSONReadsIt(t *testing.T) {
	for _, test := range []struct {
		text  string
		usual bool
	}{
		{`{"name":{"S":"lock"}}`, true},
		{`{"a":{"S":""},":b":{"N":"-1.50"},"c":{"N":"1e3"}}`, true},
		{`{"a":{"S":"1"},"a":{"S":"2"}}`, true},
		{`{"a":{"S":"<&>'"}}`, true},
		{`{}`, false},
		{`{ "a":{"S":"x"}}`, false},
		{`{"a": {"S":"x"}}`, false},
		{`{"a":{"S" :"x"}}`, false},
		{`{"a":{"S":"x" }}`, false},
		{`{"a":{"S":"x"} }`, false},
		{`{"a":{"S":"x"}, "b":{"S":"y"}}`, false},
		{`{"a":{"S":"\u0041"}}`, false},
		{`{"a\n":{"S":"x"}}`, false},
		{`{"a":{"S":"ä"}}`, false},
		{`{"a":{"S":"x","N":"1"}}`, false},
		{`{"a":{"N":"word"}}`, false},
		{`{"a":{"N":""}}`, false},
		{`{"a":{"B":"eA=="}}`, false},
		{`{"a":{"X":"x"}}`, false},
		{`{"a":{"s":"x"}}`, false},
		{`{"a":{"S":null}}`, false},
		{`{"a":{"S":1}}`, false},
		{`{"a":{"BOOL":true}}`, false},
		{`{"a":{"L":[{"S":"x"}]}}`, false},
		{`{"a":{"M":{"b":{"S":"x"}}}}`, false},
		{`{"a":{"SS":["x"]}}`, false},
		{`{"a":{}}`, false},
		{`{"a":null}`, false},
		{`{"a":"S"}`, false},
		{`null`, false},
	} {
		if _, ok := usualItem([]byte(test.text)); ok != test.usual {
			t.Errorf("%s has the usual form: %v, want %v", test.text, ok, test.usual)
		}
		var got Item
		err := json.Unmarshal([]byte(test.text), &got)
		want, wantErr := readPlainly(test.text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: error %v, want %v", test.text, err, wantErr)
		}
		if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

// readPlainly reads an item with package json alone.
func readPlainly(text string) (Item, error) {
	var read map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &read); err != nil || read == nil {
		return nil, err
	}
	item := Item{}
	for name, value := range read {
		var p plain
		err := json.Unmarshal(value, &p)
		if err == nil {
			item[name], err = p.value()
		}
		if err != nil {
			return nil, err
		}
	}
	return item, nil
}
