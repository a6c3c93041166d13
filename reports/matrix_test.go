package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

func TestAMatrixReplacesOnlyTheDirectoryOfAMatrix(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "matrix")
	want := sample.Matrix()
	for range 2 {
		if err := WriteMatrix(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range MatrixContents() {
		if info, err := os.Stat(filepath.Join(dir, c.Name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	got, err := results.ReadMatrix(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteMatrix(dir, want); !errors.Is(err, ErrForeignDir) {
		t.Errorf("somebody's notes: %v", err)
	}
	if err := MayWriteMatrix(dir); !errors.Is(err, ErrForeignDir) {
		t.Errorf("somebody's notes, beforehand: %v", err)
	}
}

func TestTheMatrixPageShowsTheAnswerAndTheCommandOfEachCell(t *testing.T) {
	b := openPage(t, "matrix.html", func(dir string) error { return WriteMatrix(dir, sample.Matrix()) })
	for expression, want := range map[string]string{
		`document.querySelector('.need li b').textContent`:                 "pg-advisory-xact",
		`document.querySelector('table.cells td.fails').textContent`:       "6/30",
		`'' + document.querySelectorAll('table.cells td.unknown').length`:  "7",
		`'' + document.querySelectorAll('.repeats dd').length`:             "22",
		`document.querySelectorAll('.repeats dd')[14].textContent`:         "lockquake replay need-database@1a2b3c4d5e6f:redis+under+pauses:1:0.1.0:0123456789abcdef",
		`document.querySelectorAll('.repeats dd')[0].textContent`:          "lockquake run need-database --strategy 'pg-advisory-xact under no-fault' --seeds 1-30 --no-report",
		`getComputedStyle(document.querySelector('.need')).borderTopStyle`: "solid",
	} {
		if got := ask[string](b, expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	for _, width := range []int64{1280, 768, 400} {
		b.do(chromedp.EmulateViewport(width, 900))
		if dir := os.Getenv("LOCKQUAKE_SCREENSHOTS"); dir != "" {
			path := filepath.Join(dir, fmt.Sprintf("matrix-%d.png", width))
			if err := os.WriteFile(path, get(b, chromedp.FullScreenshot(100)), 0o600); err != nil {
				t.Fatal(err)
			}
			b.do(chromedp.EmulateViewport(width, 900))
		}
		if over := ask[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%d pixels: the page is %d too wide", width, over)
		}
	}
	b.clean()
}
