package reports

import (
	"bytes"
	"fmt"
	"strings"

	"lockquake/reports/tables"
	"lockquake/scenarios/results"
)

// AnswerMarkdown returns the answer of lockquake advise as Markdown.
func AnswerMarkdown(a *results.Advice) []byte { return sectionsMarkdown(tables.AdviceSections(a)) }

func sectionsMarkdown(sections []tables.AdviceSection) []byte {
	var b bytes.Buffer
	for i, s := range sections {
		level := "##"
		if i == 0 {
			level = "#"
		}
		fmt.Fprintf(&b, "%s %s\n\n", level, cell(s.Title))
		answerList(&b, s.Text)
		if len(s.Grid.Rows) > 0 {
			markdownRows(&b, s.Grid)
		}
		answerList(&b, s.Notes)
		if len(s.Commands) > 0 {
			fmt.Fprintf(&b, "    %s\n\n", strings.Join(s.Commands, "\n    "))
		}
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// answerList writes sentences as a list.
func answerList(b *bytes.Buffer, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(b, "- %s\n", cell(text))
	}
	if len(texts) > 0 {
		b.WriteByte('\n')
	}
}
