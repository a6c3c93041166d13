package draw_test

import (
	"fmt"
	"time"

	"lockquake/internal/draw"
)

// The hold time of the tenth section of a worker is the same whether or not
// the first nine were drawn.
func Example() {
	hold := draw.Dist{Kind: draw.Uniform, Min: 20 * time.Millisecond, Max: 200 * time.Millisecond}
	stream := draw.New(42).Stream("hold", "worker-1")
	tenth := stream.At(10)
	fmt.Println(hold, hold.Sample(&tenth))
	// Output: {dist: uniform, min: 20ms, max: 200ms} 163.904863ms
}
