// Package fleet runs the campaigns of lockquake on many machines. It needs one NATS server with
// JetStream, which the program contains. It needs no shared folder and no database. The folder
// cmd/lockquake-fleet has the program; a program with locks of your own gets the same commands:
//
//	func main() {
//		command.Main(command.WithStrategy("mine", "what it is, in one line", newMine), fleet.Commands())
//	}
//
// # How it works
//
// A campaign is split into pieces of about a minute (cut.go). A piece is a range of seeds. Pieces are messages of a
// stream, and one worker takes each of them. A worker confirms every second that it works on its piece. If it is
// silent for longer than the lease, another worker takes the piece. The result of a piece is the journal of its runs,
// an object named after its seeds. A piece that is done twice has the same result under the same name, so it counts
// once. The command run imports these journals into the journal of its campaign, which is then the same as that of a
// campaign on one machine.
//
// # A tour
//
//   - [Commands] adds the commands to a program (commands.go), connect.go has their connection to the
//     server.
//   - serve.go runs the server.
//   - queue.go stores campaigns, pieces and results in the server.
//   - work.go is a worker: it takes pieces and stores their results. piece.go runs each of them in a
//     process of its own, so that a lock that panics or hangs stops no worker.
//   - run.go submits a campaign, waits for its pieces, and imports their results. progress.go shows its
//     progress.
//   - jobs.go lists and removes campaigns.
package fleet
