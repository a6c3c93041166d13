package dynamodb_test

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// generator makes random sequences.
type generator struct{ *rand.Rand }

// keys lists the keys of the items.
func keys() []string { return []string{"x", "y"} }

func one[T any](g *generator, all []T) T { return all[g.IntN(len(all))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// conditions lists templates of conditions. $o is the owner, $r a version, $n a number, $s a text, each a
// placeholder of a value.
func conditions() []string {
	return []string{
		"attribute_not_exists(#name)", "attribute_exists(#name)", "attribute_not_exists(holder)", "attribute_exists(holder)",
		"rvn = $r", "rvn = $r AND holder = $o", "holder = $o", "attribute_not_exists(holder) OR rvn = $r",
		"attribute_exists(#name) AND (holder = $o OR expires < $n)", "NOT holder = $o", "NOT (holder = $o AND rvn = $r)", "holder <> $o",
		"fence = $n", "fence <> $n", "fence < $n", "fence <= $n", "fence > $n", "fence >= $n", "fence BETWEEN $n AND $n", "rvn IN ($r, $r, $r)",
		"rvn IN ($r) AND holder = $o", "begins_with(holder, $s)", "contains(holder, $s)", "size(holder) > $n", "size(holder) BETWEEN $n AND $n", "attribute_type(fence, $t)",
		"$n < fence", "holder = $n", "fence < $o", "held = $b", "attribute_exists(info.host)", "info.host = $o", "info.tags[0] = $s", "attribute_not_exists(info.tags[1])",
		"size(info.tags) = $n", "contains(info.tags, $s)", "size(info) = $n", "attribute_exists(holder) AND attribute_exists(rvn) OR fence = $n", "not (attribute_exists(holder))", "begins_with($o, holder)",
		"fence = $n or held = $b and holder = $o",
	}
}

// refusedConditions lists templates of conditions that the server refuses.
func refusedConditions() []string {
	return []string{
		"holder =", "holder = $o AND", "(holder = $o", "((holder = $o))", "unknown(holder)", "holder = :missing", "#missing = $o", "attribute_exists($o)", "size(holder)", "owner = $o", "holder = holder", "attribute_exists(holder, rvn)",
		"attribute_type(fence, $o)", "begins_with(holder, $n)", "fence BETWEEN :high AND :low", "fence BETWEEN :low AND $o", "holder = begins_with(rvn, $s)", "size(:low) = $n", "holder $o", "holder = 5", "",
	}
}

// updates lists templates of updates.
func updates() []string {
	return []string{
		"SET holder = $o, rvn = $r", "SET rvn = $r", "SET fence = if_not_exists(fence, $n) + $n", "SET fence = fence + $n", "SET fence = fence - $n, holder = $o", "SET fence = $n",
		"SET holder = $o, rvn = $r, fence = if_not_exists(fence, $n) + $n, lease = $n", "REMOVE holder", "REMOVE holder, rvn", "REMOVE holder SET rvn = $r", "SET rvn = $r REMOVE holder", "ADD fence $n", "ADD fence $n SET holder = $o",
		"SET held = $b", "SET info = $m", "SET info.host = $o", "SET info.tags = $l", "SET info.tags[0] = $s", "SET info.tags = list_append(info.tags, $l)", "SET info.tags = list_append(if_not_exists(info.tags, $l), $l)", "REMOVE info.host", "REMOVE info.tags[0]",
		"SET info.tags[7] = $s", "SET expires = fence", "SET expires = fence, fence = expires", "SET holder = if_not_exists(holder, $o)", "SET expires = $n + $n", "remove info", "set holder = $o",
	}
}

// refusedUpdates lists templates of updates that the server refuses.
func refusedUpdates() []string {
	return []string{
		"SET", "SET holder", "SET holder = $o,", "holder = $o", "SET holder = $o SET rvn = $r", "SET holder = $o, holder = $o", "SET info = $m, info.host = $o", "SET holder = :missing", "SET #missing = $o", "SET owner = $o", "SET #name = $o", "SET fence = $n + $o",
		"SET holder = unknown(rvn)", "SET fence = if_not_exists(fence)", "SET fence = list_append(fence, $n)", "ADD holder $o", "ADD fence", "SET a = b + c + d", "SET info.host.deep = $o", "SET fence.deep = $n", "REMOVE missing.deep", "SET fence = if_not_exists($n, fence)", "SET info[0] = $s",
		"SET info.a = $s, info[0] = $s", "DROP holder", "REMOVE", "SET holder == $o",
	}
}

func aText(all ...string) func(*generator) types.AttributeValue {
	return func(g *generator) types.AttributeValue { return &types.AttributeValueMemberS{Value: one(g, all)} }
}

func (g *generator) number() types.AttributeValue {
	return &types.AttributeValueMemberN{Value: one(g, []string{"0", "1", "1", "2", "3", "-1", "0.5", "10", "1e3", "2.50", "007", "123456789012345678901234567890", "1E-5"})}
}

// value returns a value for a placeholder of a template.
func (g *generator) value(kind string) types.AttributeValue {
	switch kind {
	case "o":
		return aText("ann", "bob", "ann-2")(g)
	case "r":
		return aText("v1", "v2", "v3")(g)
	case "s":
		return aText("a", "an", "ann", "b", "zz")(g)
	case "t":
		return aText("S", "N", "M", "BOOL", "L", "NULL")(g)
	case "n":
		return g.number()
	case "b":
		return &types.AttributeValueMemberBOOL{Value: g.chance(50)}
	case "l":
		return &types.AttributeValueMemberL{Value: g.list()}
	case "m":
		m := map[string]types.AttributeValue{"host": g.value("o")}
		if g.chance(70) {
			m["tags"] = g.value("l")
		}
		return &types.AttributeValueMemberM{Value: m}
	}
	panic("no value " + kind)
}

func (g *generator) list() []types.AttributeValue {
	list := []types.AttributeValue{}
	for range g.IntN(4) {
		list = append(list, g.value(one(g, []string{"s", "s", "n"})))
	}
	return list
}

var (
	placeholder = regexp.MustCompile(`\$[a-z]`)
	colonWord   = regexp.MustCompile(`:(low|high)`)
)

// fill replaces the placeholders of a template, and adds their values and names to the step.
func (g *generator) fill(s *step, template string) string {
	set := func(name string, v types.AttributeValue) {
		if s.values == nil {
			s.values = map[string]types.AttributeValue{}
		}
		s.values[name] = v
	}
	filled := placeholder.ReplaceAllStringFunc(template, func(kind string) string {
		name := ":" + kind[1:] + string(rune('a'+len(s.values)))
		set(name, g.value(kind[1:]))
		return name
	})
	for _, word := range colonWord.FindAllString(filled, -1) {
		set(word, &types.AttributeValueMemberN{Value: map[string]string{":low": "1", ":high": "5"}[word]})
	}
	if strings.Contains(filled, "#name") {
		s.names = map[string]string{"#name": keyName}
	}
	return filled
}

// template returns one of the templates, rarely one that the server refuses.
func (g *generator) template(accepted, refused []string) string {
	if g.chance(10) {
		return one(g, refused)
	}
	return one(g, accepted)
}

// step returns a random step.
func (g *generator) step() step {
	s := step{client: g.IntN(clients), key: one(g, keys())}
	switch n := g.IntN(100); {
	case n < 15:
		s.operation = "get"
		if g.chance(40) {
			s.projection = one(g, []string{"holder", "holder, rvn", "info.host", "info.tags[0], info.tags[2]", "info.tags[1], fence", "holder, holder", "owner", "holder,", "info, info.host"})
		}
		return s
	case n < 35:
		s.operation = "put"
		s.item = map[string]types.AttributeValue{"rvn": g.value("r")}
		for _, a := range []struct{ name, kind string }{{"holder", "o"}, {"fence", "n"}, {"expires", "n"}, {"held", "b"}, {"info", "m"}} {
			if g.chance(60) {
				s.item[a.name] = g.value(a.kind)
			}
		}
		s.returns = one(g, []string{"", "", "", "", "ALL_OLD", "ALL_OLD", "NONE", "ALL_NEW"})
	case n < 85:
		s.operation = "update"
		s.returns = one(g, []string{"", "", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "UPDATED_NEW"})
		if g.chance(1) {
			s.returns = "SOME"
		}
		s.update = g.fill(&s, g.template(updates(), refusedUpdates()))
	default:
		s.operation = "delete"
		s.returns = one(g, []string{"", "ALL_OLD"})
	}
	if g.chance(60) {
		s.condition = g.fill(&s, g.template(conditions(), refusedConditions()))
	}
	if g.chance(2) {
		s.names = map[string]string{"#unused": "holder"}
	}
	return s
}

// sequence returns a random sequence.
func (g *generator) sequence() sequence {
	const shortest, spread = 8, 20
	var s sequence
	for range shortest + g.IntN(spread) {
		s = append(s, g.step())
	}
	return s
}
