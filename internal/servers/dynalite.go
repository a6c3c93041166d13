package servers

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// DynaliteServer is a real Dynalite, a third-party server with DynamoDB's API. It has no table at first, and keeps
// its data in memory.
type DynaliteServer struct{ *Server }

// StartDynalite starts a Dynalite, and returns when it answers. The error wraps ErrMissing if there is no
// Dynalite. The caller has to stop it.
func StartDynalite() (*DynaliteServer, error) {
	path, err := findNPM("dynalite")
	if err != nil {
		return nil, err
	}
	s, err := launch(program{
		path: path,
		args: func(s *Server) []string {
			return []string{"--host", "127.0.0.1", "--port", strconv.Itoa(s.port), "--createTableMs", "0"}
		},
		ready: func(s *Server) error {
			client := http.Client{Timeout: time.Second}
			answer, err := client.Get("http://" + s.Addr)
			if err != nil {
				return err
			}
			if err := answer.Body.Close(); err != nil {
				return err
			}
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("it answers %s", answer.Status)
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return &DynaliteServer{s}, nil
}
