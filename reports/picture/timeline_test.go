package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"regexp"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/reports/timeline"
)

// Both files are complete.
func TestThePictureOfATimelineIsAsWideAsASlide(t *testing.T) {
	tl := timeline.Of(sample.Long(), "lost-update")
	svg, data, err := Timeline(&tl, "redis")
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds().Dx(); got != 1920 {
		t.Errorf("the PNG is %d pixels wide, want 1920", got)
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range []string{"redis fails lost-update, seed 7 of gc-pause", "update lost", "time, s", "believes that it holds the lock"} {
		if !bytes.Contains(svg, []byte(words)) {
			t.Errorf("the SVG does not say %q", words)
		}
	}
}

// In a font that is wider than ours a decimal point between two texts is covered by the first one.
func TestATimeIsOneTextAndIsNotSqueezed(t *testing.T) {
	tl := timeline.Of(sample.Long(), "lost-update")
	svg, _, err := Timeline(&tl, "redis")
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	for line := range bytes.SplitSeq(svg, []byte("<text ")) {
		if _, text, found := bytes.Cut(line, []byte(">")); found && regexp.MustCompile(`^\d+\.\d{1,3}</text>`).Match(text) {
			times++
			if bytes.Contains(line, []byte("textLength")) {
				t.Errorf("%s has a fixed width", text)
			}
		}
	}
	if times < len(tl.Steps) {
		t.Errorf("%d texts are times, want one for each of %d steps", times, len(tl.Steps))
	}
	if !bytes.Contains(svg, []byte(">other sections and leases</text>")) {
		t.Error("the legend does not explain the bars of other sections")
	}
}
