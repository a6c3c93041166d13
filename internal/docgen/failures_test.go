package docgen

import (
	"strings"
	"testing"

	"lockquake/scenarios"
)

// The page of failures prints the first paragraph as a title and the others as the story.
func TestTheCommentOfEachBuiltInScenarioIsATitleAndAStory(t *testing.T) {
	for _, name := range scenarios.Builtins() {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		title, story, _ := strings.Cut(storyOf(string(s.Text)), "\n\n")
		if title == "" || len(title) > 200 || !strings.HasSuffix(title, ".") || story == "" {
			t.Errorf("%s: the comment on top must be a title of one short sentence, an empty line, and what happens; it begins with %q", name, title)
		}
	}
}
