package campaign

import (
	"bytes"

	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// Describe returns a journal without runs. It describes a campaign, so that other processes can run pieces of
// it. Whole is the request that [Journal.Campaign] returns for this journal.
func Describe(s *scenarios.Scenario, r Request) (journal []byte, whole Request, err error) {
	seeds, err := r.choose(s)
	if err != nil {
		return nil, whole, err
	}
	uses, err := s.Uses(r.Strategies, run.NewPool(s, r.Own, r.Jobs, r.Stall).Own)
	if err != nil {
		return nil, whole, err
	}
	j := Combine(s)
	j.asked = r.asked(seeds, uses)
	var text bytes.Buffer
	if _, err = j.WriteTo(&text); err != nil {
		return nil, whole, err
	}
	whole, err = j.Campaign()
	return text.Bytes(), whole, err
}

// Campaign returns the request for the whole campaign that the journal belongs to: its seeds and the labels of its
// strategies. With a Piece set it is the request for that piece.
func (j *Journal) Campaign() (Request, error) {
	if len(j.asked.Strategies) == 0 {
		return Request{}, j.wrong(0, "no campaign was begun with it")
	}
	return Request{Seeds: j.asked.Seeds, Strategies: j.asked.Strategies, Until: j.asked.Until}, nil
}
