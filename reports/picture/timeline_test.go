package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
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
