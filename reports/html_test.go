package reports

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// browser is a page under test, with its errors and its requests.
type browser struct {
	context.Context
	t *testing.T

	mu      sync.Mutex
	address string
	faults  []string
}

// openReport writes the report of a campaign and opens its page in Chromium.
func openReport(t *testing.T, c *results.Campaign, scenario []byte) *browser {
	t.Helper()
	return openPage(t, "report.html", func(dir string) error { return WriteDir(dir, c, scenario, nil) })
}

// openPage writes a report into a directory and opens one of its pages in Chromium.
func openPage(t *testing.T, name string, write func(dir string) error) *browser {
	t.Helper()
	b := startBrowser(t)
	dir := filepath.Join(t.TempDir(), "report")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	b.visit(filepath.Join(dir, name))
	return b
}

// chromium is the browser that all tests share; each has a tab of its own. TestMain ends it.
var chromium struct {
	start  sync.Once
	ctx    context.Context
	cancel func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.cancel != nil {
		chromium.cancel()
	}
	os.Exit(code)
}

// startBrowser opens a tab in Chromium.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	var binary string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			binary = path
			break
		}
	}
	if binary == "" {
		const how = "no Chromium: install the package chromium (make deps)"
		if os.Getenv("CI") != "" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	chromium.start.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], // it makes a profile, and removes it
			chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
		allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closeFirst := chromedp.NewContext(allocator)
		chromium.ctx, chromium.cancel = ctx, func() { closeFirst(); end() }
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
	})
	ctx, cancel := context.WithTimeout(chromium.ctx, 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	_, errNetwork := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	_, errLog := chromedp.Call(ctx, log.Enable, struct{}{})
	_, errPage := chromedp.Call(ctx, cdppage.Enable, cdppage.EnableParams{})
	if err := errors.Join(errNetwork, errLog, errPage); err != nil {
		t.Fatal(err)
	}
	return b
}

// visit opens a file.
func (b *browser) visit(path string) {
	b.t.Helper()
	b.mu.Lock()
	b.address = "file://" + path
	b.mu.Unlock()
	b.do(chromedp.Navigate("file://" + path))
}

// media emulates a medium, "" for a screen, in light or dark.
func (b *browser) media(medium, theme string) {
	b.t.Helper()
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	}); err != nil {
		b.t.Fatal(err)
	}
}

// watch records what a page must not do: log an error, open a dialog, or load anything but
// itself and its embedded pictures.
func (b *browser) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fault := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		fault = fmt.Sprintf("console %s", e.Type)
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		fault = "log: " + e.Entry.Text
	case *cdppage.EventJavascriptDialogOpening:
		fault = "dialog: " + e.Message
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; url != b.address && !strings.HasPrefix(url, "data:") {
			fault = "request: " + url
		}
	}
	if fault != "" {
		b.faults = append(b.faults, fault)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// get runs an action and returns its result.
func get[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	answer, err := chromedp.Run(b, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer
}

// ask evaluates an expression in the page.
func ask[T any](b *browser, expression string) T {
	b.t.Helper()
	return get(b, chromedp.Evaluate[T](expression))
}

// clean fails the test for each error that watch recorded.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		b.t.Error(fault)
	}
}

func TestThePageFiltersItsTable(t *testing.T) {
	campaign, scenario := sample.GCPause()
	b := openReport(t, campaign, scenario)
	set := func(id, value string) {
		ask[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q;
			return e.dispatchEvent(new Event("input")) && e.dispatchEvent(new Event("change")); })()`, id, value))
	}
	const shown = `[...document.querySelectorAll(%q)].filter((e) => e.offsetParent !== null).map((e) => e.dataset.label).join("; ")`
	rows, failures := fmt.Sprintf(shown, ".strategy"), fmt.Sprintf(shown, ".failure")
	tests := []struct{ filter, status, rows, failures string }{
		{"", "", "none; redis; checked | by its own clock; redis-watchdog; fenced; fenced writes only", "redis; checked | by its own clock"},
		{"Own clock", "", "checked | by its own clock", "checked | by its own clock"},
		{"linearizable", "", "none; redis", "redis"},
		{"", "unexpected", "redis-watchdog", ""},
		{"", "clean", "fenced; fenced writes only", ""},
		{"writes", "unknown", "fenced writes only", ""},
		{"nothing like it", "", "", ""},
	}
	for _, tt := range tests {
		set("filter", tt.filter)
		set("status", tt.status)
		if got := ask[string](b, rows); got != tt.rows {
			t.Errorf("filter %q, status %q: the rows are %q, want %q", tt.filter, tt.status, got, tt.rows)
		}
		if got := ask[string](b, failures); got != tt.failures {
			t.Errorf("filter %q, status %q: the failures are %q, want %q", tt.filter, tt.status, got, tt.failures)
		}
	}
	b.clean()
}

// Keys move the step in the story and in the picture, zoom, and move the focus.
func TestThePageStepsThroughAFailure(t *testing.T) {
	campaign, scenario := sample.GCPause()
	b := openReport(t, campaign, scenario)
	const line = `document.querySelector(".failure[open] .story [aria-current]").textContent.replace(/\s+/g, " ")`
	const mark = `document.querySelector(".failure[open] .mark.current").getAttribute("aria-label")`
	const detail = `document.querySelector(".failure[open] .detail").textContent`
	const width = `+document.querySelector(".failure[open] .scroll svg").getAttribute("width")`
	keys := func(keys string) { b.do(chromedp.KeyEvent(keys)) }
	where := func(text, number string) {
		t.Helper()
		if got := ask[string](b, line); !strings.Contains(got, text) {
			t.Errorf("the story is at %q, want %q", got, text)
		}
		if got := ask[string](b, mark); !strings.HasPrefix(got, "Step "+number+":") || !strings.Contains(got, text) {
			t.Errorf("the picture is at %q, want step %s, %q", got, number, text)
		}
		if got := ask[string](b, detail); !strings.Contains(got, text) {
			t.Errorf("the detail is %q, want %q", got, text)
		}
	}
	where("update lost", "11") // it opens at the decisive step
	ask[any](b, `document.querySelector(".failure[open] .scroll").focus()`)
	keys("k")
	where("wakes, and believes it still holds", "10")
	keys(kb.ArrowLeft)
	where("releases the lock", "9")
	keys("jjj")
	where("ends: told that the lock was lost", "12")
	ask[any](b, `document.querySelector(".failure[open] .story li").click()`)
	where("gets the lock", "1")
	keys("k")
	where("gets the lock", "1") // there is nothing before it
	if n := ask[int](b, `document.querySelectorAll(".failure[open] .linked").length`); n == 0 {
		t.Error("nothing in the picture is tied to the step")
	}

	fit := ask[float64](b, width)
	keys("+")
	if got := ask[float64](b, width); got < 1.4*fit {
		t.Errorf("zoomed in it is %v wide, and was %v", got, fit)
	}
	keys("0")
	if got := ask[float64](b, width); got != fit {
		t.Errorf("after 0 it is %v wide, want %v", got, fit)
	}
	keys("n")
	if got := ask[string](b, detail); !strings.Contains(got, "asks for the lock") || !strings.Contains(got, "worker-1") {
		t.Errorf("the first item says %q", got)
	}
	if outline := ask[string](b, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" {
		t.Error("the focus does not show")
	}
	if said := ask[string](b, `document.querySelector("#said[role=status]").textContent`); !strings.Contains(said, "gets the lock") {
		t.Errorf("a screen reader is told %q of the last step", said)
	}
	b.clean()
}

// marksOutside returns the numbers of steps that a picture cuts off, and those that cover each other.
const marksOutside = `[...document.querySelectorAll(".failure[open] .scroll svg")].flatMap((svg) => {
	const at = [...svg.querySelectorAll(".mark circle")].map((c) => [+c.getAttribute("cx"), +c.getAttribute("cy"), +c.getAttribute("r")]);
	return at.filter(([x, y, r], i) => y < r || x < r || x > svg.getAttribute("width") - r ||
		at.slice(0, i).some(([x2, y2]) => Math.hypot(x - x2, y - y2) < r));
}).map(([x, y]) => x.toFixed(0) + " " + y.toFixed(0)).join("; ")`

// timesWrong counts the timelines whose axis lacks the time of the decisive step, and lists times that overlap.
const timesWrong = `[...document.querySelectorAll(".failure[open] svg")].filter((e) => e.querySelector("line.cause")).flatMap((e) => {
	const cause = Number(e.querySelector("line.cause").getAttribute("x1"));
	const times = [...e.querySelectorAll("text[text-anchor=middle].faint")];
	const found = times.some((text) => Math.abs(Number(text.getAttribute("x")) - cause) < 1) ? [] : ["no time at " + cause];
	const boxes = times.map((text) => text.getBoundingClientRect());
	return found.concat(boxes.slice(1).flatMap((box, i) => box.left < boxes[i].right ? ["overlap at " + box.left] : []));
}).join("; ")`

// The step that completes the violation has its time on the axis, however close its neighbours are.
func TestTheDecisiveStepHasItsTimeOnTheAxis(t *testing.T) {
	campaign, scenario := sample.GCPause()
	b := openReport(t, campaign, scenario)
	ask[any](b, `document.querySelectorAll(".failure, .cards").forEach((e) => { e.open = true; })`)
	for _, scale := range []string{"stretched", "true"} {
		if wrong := ask[string](b, timesWrong); wrong != "" {
			t.Errorf("on a %s scale: %s", scale, wrong)
		}
		ask[any](b, `[...document.querySelectorAll(".failure[open] .tools button")].filter((e) => e.textContent === "True scale").forEach((e) => e.click())`)
	}
	b.clean()
}

// Steps at the same time have their numbers above each other, and beside each other at the upper edge.
func TestTheNumbersOfStepsAreInsideThePicture(t *testing.T) {
	campaign, scenario := sample.GCPause()
	b := openReport(t, campaign, scenario)
	ask[any](b, `document.querySelectorAll(".failure, .cards").forEach((e) => { e.open = true; })`)
	if n := ask[int](b, `document.querySelectorAll(".failure[open] .mark circle").length`); n < 20 {
		t.Errorf("the pictures have %d numbers", n)
	}
	for _, scale := range []string{"stretched", "true"} {
		if wrong := ask[string](b, marksOutside); wrong != "" {
			t.Errorf("on a %s scale numbers are cut off or covered: %s", scale, wrong)
		}
		ask[any](b, `[...document.querySelectorAll(".failure[open] .tools button")].filter((e) => e.textContent === "True scale").forEach((e) => e.click())`)
	}
	b.clean()
}

// brokenTexts returns the texts of the tables that are narrower than a word.
const brokenTexts = `[...document.querySelectorAll("table :is(th, td, code)")].filter((e) => e.offsetParent !== null && e.textContent.trim().length > 6 &&
	e.getBoundingClientRect().width < 30).map((e) => e.textContent.trim()).join("; ")`

// widths are those of a desktop, a tablet, a phone, and A4 paper.
func widths() []int64 { return append(screens(), paper) }

// screens are the widths of a desktop, a tablet and a phone, in CSS pixels, and paper that of A4.
func screens() []int64 { return []int64{1280, 768, 400} }

const paper int64 = 794

// printable is the width of A4 between the margins of the page.
const printable = paper - 2*45

// wideTables returns the headings of the tables that are wider than what is around them.
const wideTables = `[...document.querySelectorAll("table")].filter((e) => e.getBoundingClientRect().width > e.parentElement.getBoundingClientRect().width + 1)
	.map((e) => e.tHead.textContent.replace(/\s+/g, " ")).join("; ")`

// printed returns the number of pages of A4 that the page takes.
func (b *browser) printed() int {
	b.t.Helper()
	pdf, err := chromedp.Call(b, cdppage.PrintToPDF, cdppage.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69, PreferCSSPageSize: new(true)})
	if err != nil {
		b.t.Fatal(err)
	}
	return len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf.Data, -1))
}

// It takes screenshots in both themes, as wide as a desktop, a tablet, a phone and paper.
// LOCKQUAKE_SCREENSHOTS names a directory for them.
func TestThePageFitsItsWindow(t *testing.T) {
	campaign, scenario := sample.GCPause()
	b := openReport(t, campaign, scenario)
	dir := os.Getenv("LOCKQUAKE_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	backgrounds := map[string]bool{}
	for _, theme := range []string{"light", "dark"} {
		b.media("", theme)
		for _, width := range widths() {
			b.do(chromedp.EmulateViewport(width, 900), chromedp.Reload())
			top, whole := get(b, chromedp.CaptureScreenshot()), get(b, chromedp.FullScreenshot(100))
			b.do(chromedp.EmulateViewport(width, 900))
			for part, data := range map[string][]byte{"top": top, "whole": whole} {
				if len(data) < 20_000 {
					t.Errorf("%s, %d pixels, %s: a picture of %d bytes shows nothing", theme, width, part, len(data))
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("report-%s-%d-%s.png", theme, width, part)), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if broken := ask[string](b, brokenTexts); broken != "" {
				t.Errorf("%s, %d pixels: a letter a line: %s", theme, width, broken)
			}
			if over := ask[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s, %d pixels: the page is %d too wide", theme, width, over)
			}
		}
		backgrounds[ask[string](b, `getComputedStyle(document.body).backgroundColor`)] = true
		ask[any](b, `document.getElementById("theme").click()`)
		backgrounds["toggled "+ask[string](b, `getComputedStyle(document.body).backgroundColor`)] = true
	}
	if pages := b.printed(); pages > 4 {
		t.Errorf("a table of six rows and its first failure take %d pages of paper", pages)
	}
	b.media("print", "light")
	b.do(chromedp.EmulateViewport(printable, 900))
	ask[any](b, `document.querySelectorAll("details").forEach((e) => { e.open = true; })`)
	if wide := ask[string](b, wideTables); wide != "" {
		t.Errorf("on paper tables are too wide: %s", wide)
	}
	if len(backgrounds) != 4 {
		t.Errorf("the themes and their toggle give the backgrounds %v", backgrounds)
	}
	b.clean()
}

// A scenario cannot inject HTML or scripts by its names.
func TestThePageEscapesNames(t *testing.T) {
	const hostile = `<img src=x onerror=alert(1)>`
	campaign, scenario := sample.GCPause()
	campaign.Scenario = hostile
	campaign.About = `</script><script>alert(2)</script></style>`
	campaign.Source = `javascript:alert(3)`
	campaign.Reasons = []string{`"><svg onload=alert(4)>`}
	for i := range campaign.Strategies {
		st := &campaign.Strategies[i]
		st.Label, st.Fence = fmt.Sprintf("%s %d", hostile, i), `'><b id=evil>`
		for j := range st.Failures {
			run := st.Failures[j].Trial
			run.Label, run.Scenario, run.Replay = st.Label, campaign.Scenario, `x</script><img src=x onerror=alert(5)>`
			for k := range run.Results {
				for l := range run.Results[k].Findings {
					run.Results[k].Findings[l].Text = hostile
				}
			}
			// Values of the resource and names of workers are data, too.
			run.History.Meta.Workers[1] = hostile
			for k := range run.History.Events {
				e := &run.History.Events[k]
				e.Value = strings.ReplaceAll(e.Value, "1", "</script><!--")
				if e.Worker == "worker-2" {
					e.Worker = hostile
				}
			}
		}
	}
	b := openReport(t, campaign, scenario)
	ask[any](b, `document.querySelectorAll(".failure").forEach((e) => { e.open = true; })`)
	// The page draws after it has opened, so an error of a picture comes late.
	b.do(chromedp.Sleep(200 * time.Millisecond))
	if got := ask[string](b, `document.querySelector("h1").textContent`); got != hostile {
		t.Errorf("the title is %q", got)
	}
	if n := ask[int](b, `document.querySelectorAll("#evil, img[src=x], svg[onload], main script:not(.timeline)").length`); n != 0 {
		t.Errorf("%d elements were made of names", n)
	}
	if n := ask[int](b, `document.querySelectorAll(".failure .scroll svg").length`); n != 2 {
		t.Errorf("%d timelines were drawn, want 2", n)
	}
	b.clean()
}

// The verdict and each story are in the HTML.
func TestThePageIsReadableWithoutItsScript(t *testing.T) {
	campaign, scenario := sample.GCPause()
	files, err := reportFiles(campaign, scenario)
	if err != nil {
		t.Fatal(err)
	}
	html := string(files[0].data)
	if files[0].path != "report.html" {
		t.Fatalf("the first file is %s", files[0].path)
	}
	body, _, _ := strings.Cut(html, `<script type="application/json"`)
	for _, words := range []string{
		"not expected: redis-watchdog violated lost-update in 3 of 1000 runs", "redis lost updates in", "41.2 %", "38.2 to 44.3 %", `<ol class="story"`,
		"writes 1 over worker-2&#39;s 1: update lost", "lockquake replay",
	} {
		if !strings.Contains(body, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if len(html) > 200_000 {
		t.Errorf("the page has %d bytes", len(html))
	}
}
