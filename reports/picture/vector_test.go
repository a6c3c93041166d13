package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/reports/timeline"
)

// A picture has a role, a title and a description, and each longer text has a width of its own.
func TestEachPictureIsAccessibleInAnyFont(t *testing.T) {
	campaign, _ := sample.GCPause()
	campaign.Scenario = "a<b & c"
	failure := timeline.Of(sample.Long(), "lost-update")
	tests := map[string]func() (svg, png []byte, err error){
		"rates":    func() (svg, png []byte, err error) { return Rates(campaign) },
		"cases":    func() (svg, png []byte, err error) { return Rates(sample.CaseCampaign()) },
		"matrix":   func() (svg, png []byte, err error) { return Matrix(sample.Matrix()) },
		"timeline": func() (svg, png []byte, err error) { return Timeline(&failure, "redis") },
		"sweep":    func() (svg, png []byte, err error) { return Sweep(sample.Swept(sample.TTLs())) },
	}
	for name, draw := range tests {
		t.Run(name, func(t *testing.T) {
			svg, _, err := draw()
			if err != nil {
				t.Fatal(err)
			}
			var last xml.StartElement
			said, sized := map[string]string{}, 0
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				switch e := token.(type) {
				case xml.StartElement:
					last = e.Copy()
					if e.Name.Local == "svg" && (attribute(e, "role") != "img" || !strings.Contains(attribute(e, "font-family"), ",sans-serif")) {
						t.Errorf("the picture begins with %v", e)
					}
				case xml.CharData:
					if text := string(e); strings.TrimSpace(text) != "" {
						said[last.Name.Local] = text
						if last.Name.Local == "text" && !roomy(text) {
							sized++
							if attribute(last, "textLength") == "" || attribute(last, "lengthAdjust") != "spacingAndGlyphs" {
								t.Errorf("%q has no width", text)
							}
						}
					}
				}
			}
			if said["title"] == "" || said["desc"] == "" || sized == 0 {
				t.Errorf("title %q, description %q, %d sized texts", said["title"], said["desc"], sized)
			}
		})
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
