package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// Parse reads a scenario from the bytes of a file, fills in the defaults, and
// checks everything that can be checked without running it. Name is what the
// file is called; a file of samples is looked for beside it. Own lists the caller's own strategies.
// The scenario, and the program that runs it, can name them like those of [Strategies]. With own
// strategies an unknown point is accepted, unless its name is close to a known one.
//
// An error is a single line that begins with file, line and column.
func Parse(name string, data []byte, own ...lock.Entry) (*Scenario, error) {
	if err := CheckOwn(own...); err != nil {
		return nil, err
	}
	return parse(name, data, known(own))
}

// ParseWithFiles is Parse with the files of empirical distributions, by the name that the scenario has
// for them. See [Scenario.Files].
func ParseWithFiles(name string, data []byte, files map[string][]byte, own ...lock.Entry) (*Scenario, error) {
	if err := CheckOwn(own...); err != nil {
		return nil, err
	}
	c := known(own)
	c.files = files
	return parse(name, data, c)
}

func parse(name string, data []byte, known catalogue) (*Scenario, error) {
	sum := sha256.New()
	sum.Write(plainText(data))
	return decode(name, data, known, sum)
}

// plainText returns a text without a byte order mark, and with line feeds as line ends. A checkout of Git may change
// both, and the hash of a scenario must not depend on that.
func plainText(data []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
}

// decode reads a scenario and adds what it reads to the hash sum.
func decode(name string, data []byte, known catalogue, sum hash.Hash) (*Scenario, error) {
	s := &Scenario{
		Seeds: 100, Workers: 2, Resources: 1,
		Step: 10 * time.Microsecond, Wake: results.WakeDrawn, WakeLag: usualWakeLag(), Cores: 2,
		Workload: workload.Defaults(),
		Resource: Resource{Fence: "off"},
		Network:  Network{Latency: draw.Fixed(time.Millisecond)},
		Own:      known.own,
		given:    known.files,
		Path:     name,
		Text:     bytes.Clone(data),
	}
	s.samples = map[string]samples{}
	decoder := strictyaml.Decoder{Hooks: hooks(samplesIn(filepath.Dir(name), known.files), sum, s.samples), Extensions: extensions(), Keys: openKeys(Parts())}
	at, err := decoder.Decode(name, data, s)
	if err != nil {
		return nil, err
	}
	s.Hash = hex.EncodeToString(sum.Sum(nil))[:12]
	v := validator{Scenario: s, at: at, known: known}
	if err := v.validate(); err != nil {
		return nil, err
	}
	v.conflicts()
	return s, nil
}

// hooks returns the decoders of the parts of a scenario that have a notation of their own. What read
// returns of files goes into sum and, by the path of the distribution, into files.
func hooks(read sampleReader, sum hash.Hash, files map[string]samples) strictyaml.Hooks {
	h := strictyaml.Hooks{}
	strictyaml.AddHook(h, decodeStrategies)
	strictyaml.AddHook(h, decodeStrategy)
	strictyaml.AddHook(h, decodeAttempts)
	strictyaml.AddHook(h, decodeFault)
	strictyaml.AddHook(h, decodeBound)
	strictyaml.AddHook(h, func(n *strictyaml.Node, into *draw.Dist) error {
		of, err := decodeDist(n, into, read, sum)
		if of.file != "" {
			files[n.Path()] = of
		}
		return err
	})
	return h
}

// soundPattern matches every strategy without a known flaw, except the one without a lock.
const soundPattern = "sound"

// decodeStrategies decodes a list, or one of the words all and sound.
func decodeStrategies(n *strictyaml.Node, into *[]Strategy) error {
	switch n.Text() {
	case "all":
		*into = []Strategy{{Name: "*"}}
		return nil
	case soundPattern:
		*into = []Strategy{{Name: soundPattern}}
		return nil
	}
	if !n.IsList() {
		return n.Wants("a list of strategies, all, or sound")
	}
	type plain []Strategy // the same without its hook
	return n.Decode((*plain)(into))
}

// decodeStrategy reads a name, or a map that says more.
func decodeStrategy(n *strictyaml.Node, into *Strategy) error {
	if !n.IsMap() {
		return n.Decode(&into.Name)
	}
	type plain Strategy
	return n.Decode((*plain)(into))
}

// decodeAttempts reads a number from 1, or the word unlimited.
func decodeAttempts(n *strictyaml.Node, into *lock.Attempts) error {
	if n.Text() == "unlimited" {
		*into = lock.Unlimited
		return nil
	}
	attempts, err := strconv.Atoi(n.Text())
	if err != nil || attempts < 1 {
		return n.Wants("a number of attempts, from 1, or unlimited")
	}
	*into = lock.Attempts(attempts)
	return nil
}

// decodeFault reads an entry of faults: one kind with its parameters, and
// beside it when it falls.
func decodeFault(n *strictyaml.Node, into *faults.Spec) error {
	if !n.IsMap() {
		return n.Wants("a map such as pause: {...}")
	}
	kinds := map[string]faults.Info{}
	var names []string
	for _, k := range faults.Kinds() {
		kinds[string(k.Kind)] = k
		names = append(names, string(k.Kind))
	}
	for key, value := range n.Pairs() {
		var err error
		info, isKind := kinds[key.Text()]
		switch {
		case key.Text() == "at":
			err = value.Decode(&into.At)
		case key.Text() == "when":
			into.When = &faults.When{Nth: 1}
			err = value.Decode(into.When)
		case key.Text() == "optional":
			err = value.Decode(&into.Optional)
		case key.Text() == "case":
			err = value.Decode(&into.Case)
		case key.Text() == "class":
			err = value.Decode(&into.Class)
		case !isKind:
			err = key.Errorf("%s", strictyaml.Unknown("key", key.Text(), append(names, besideKind()...)))
		case into.Fault != nil:
			err = key.Errorf("%s is a %s already; write an entry for each fault", n.Path(), into.Kind())
		default:
			into.Fault = info.New()
			err = decodeFaultParams(value, info, into)
		}
		if err != nil {
			return err
		}
	}
	if into.Fault == nil {
		return n.Errorf("%s has no kind of fault; known are %s", n.Path(), strings.Join(names, ", "))
	}
	return nil
}

// besideKind lists the keys of an entry of faults besides its kind.
func besideKind() []string {
	return []string{"at", "when", "optional", "case", "class"}
}

func decodeFaultParams(n *strictyaml.Node, info faults.Info, into *faults.Spec) error {
	params := info.Params()
	for key := range n.Pairs() {
		switch {
		case slices.Contains(params, key.Text()):
		case slices.Contains(besideKind(), key.Text()):
			return key.Errorf("%s is not a parameter of %[2]s: write it beside %[2]s, as in {%[1]s: ..., %[2]s: {...}}", key.Text(), info.Kind)
		default:
			return key.Errorf("%s", strictyaml.Unknown("parameter of "+string(info.Kind), key.Text(), params))
		}
	}
	return n.DecodeAll(into.Fault, &into.Timing)
}

// Load reads a scenario by its name: that of a built-in one, or the path of a file. Own is as in [Parse].
func Load(arg string, own ...lock.Entry) (*Scenario, error) {
	return LoadWith(arg, nil, own...)
}

// LoadWith is Load with values set as [Scenario.With] does. An error in the file itself is reported first.
func LoadWith(arg string, overrides []results.Override, own ...lock.Entry) (*Scenario, error) {
	s, err := loadFile(arg, own)
	if err != nil {
		return nil, err
	}
	return s.With(overrides)
}

func loadFile(arg string, own []lock.Entry) (*Scenario, error) {
	if data, ok := builtin(arg); ok {
		return Parse(arg, data, own...)
	}
	data, err := readScenario(arg)
	switch {
	case err == nil:
		return Parse(arg, data, own...)
	case os.IsNotExist(err) && !strings.ContainsAny(arg, `/\.`):
		return nil, fmt.Errorf("no such file, and %s",
			strictyaml.Unknown("scenario", arg, Builtins()))
	default:
		return nil, fmt.Errorf("read scenario: %w", err)
	}
}

// readScenario reads one byte more than a scenario may have, so that Parse
// sees that it is too long, and no more, whatever kind of file it is.
func readScenario(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(file, strictyaml.MaxSize+1))
}

// texts makes plain strings of names that have a type.
func texts[S ~string](names []S) []string {
	plain := make([]string, len(names))
	for i, n := range names {
		plain[i] = string(n)
	}
	return plain
}

func list[S ~string](names []S) string { return strings.Join(texts(names), ", ") }
