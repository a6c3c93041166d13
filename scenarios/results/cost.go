package results

import (
	"time"

	"lockquake/checker"
)

// CostOf returns the cost of a lock: calm has its runs without faults, crashed those with crashes, of
// which hit were of workers in a section or a call. Crashed may be nil.
func CostOf(calm, crashed *checker.Metrics, hit int64) MatrixCost {
	cost := MatrixCost{PerAcquisition: calm.CommandsEach(), WaitP50: calm.Wait.Median(), WaitP99: calm.Wait.P99()}
	if calm.Finished > 0 {
		cost.PerJob = float64(calm.Requests) / float64(calm.Finished)
	}
	if crashed != nil && hit > 0 && calm.Time != (checker.Sum{}) {
		usual := calm.Unavailable.Float() / calm.Time.Float() * crashed.Time.Float()
		outage := time.Duration(max(0, crashed.Unavailable.Float()-usual) / float64(hit))
		cost.Outage = &outage
	}
	return cost
}
