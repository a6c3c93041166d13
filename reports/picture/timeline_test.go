package picture

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"regexp"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/history"
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

// Leases that several owners have at the same time have rows of their own inside their lane.
func TestLeasesAtTheSameTimeDoNotCoverEachOther(t *testing.T) {
	s := sample.NewScript("redis-semaphore", "off", "worker-1", "worker-2", "worker-3", "worker-4")
	for i, worker := range s.Meta.Workers {
		at := time.Duration(i) * time.Second
		s.Ask(at, worker, 1)
		s.Add(at+time.Millisecond, history.Event{Type: history.Granted, Worker: worker, Key: "lock", Owner: "of-" + worker, Node: "lock", Mode: "shared"})
		s.EnterUngranted(at+2*time.Millisecond, worker, 1, 0)
	}
	tl := timeline.Of(s.Trial(), "")
	on := slide{Canvas: draw.Canvas{Rectangle: rectangle(0, slideWidth, 0, 600)}, t: &tl}
	var bars []vg.Rectangle
	for i := range tl.Spans {
		if span := &tl.Spans[i]; span.Kind == "lease" {
			bars = append(bars, on.bar(span))
		}
	}
	if len(bars) != 4 {
		t.Fatalf("%d leases, want 4", len(bars))
	}
	slices.SortFunc(bars, func(a, b vg.Rectangle) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
	for i, bar := range bars[1:] {
		if bar.Min.Y < bars[i].Max.Y {
			t.Errorf("bars at %v and %v overlap", bars[i], bar)
		}
	}
	lane := tl.Spans[slices.IndexFunc(tl.Spans, func(span timeline.Span) bool { return span.Kind == "lease" })].Lane
	if top := on.Max.Y - slideMargin - lanesHeight(&tl, lane); bars[3].Max.Y > top {
		t.Errorf("the highest bar ends at %v, above its lane, which ends at %v", bars[3].Max.Y, top)
	}
	if next := on.y(lane+1) + barHalf; bars[0].Min.Y < next {
		t.Errorf("the lowest bar begins at %v, below the next lane's bars, which end at %v", bars[0].Min.Y, next)
	}
}
