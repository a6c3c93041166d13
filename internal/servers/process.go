package servers

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// process is a child that runs until it is killed.
type process struct {
	cmd    *exec.Cmd
	words  tail
	exited chan struct{} // closed when the child is gone and reaped
}

// start starts a child in a folder and under an account (nil for our own). A thread waits until the
// child has ended, since the kernel kills a child when the thread that started it ends, not when
// the program does.
func start(dir string, as *account, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), exited: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = &p.words, &p.words
	p.cmd.SysProcAttr = attributes(as)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // it was killed, or its last output says why it ended
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("servers: start %s: %w", name, err)
	}
	return p, nil
}

// kill kills the child and the processes that it has started, stopped or not, and waits until they
// have ended. It has no effect on a child that has ended.
func (p *process) kill() {
	children := childrenOf(p.cmd.Process.Pid)
	_ = p.cmd.Process.Kill()       // fails only if it has ended
	for _, pid := range children { // first, since they hold the pipe of the output open
		killStray(pid)
	}
	<-p.exited
}

// The interval and the limit of the polls of a child that starts.
const (
	pollEvery = 2 * time.Millisecond
	pollLimit = 3 * time.Minute
)

// await polls until ready returns nil. It fails after pollLimit, or when the child ends, with the
// last error of ready and the last output of the child.
func (p *process) await(ready func() error) error {
	limit := time.After(pollLimit)
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("servers: %s ended: %s", p.cmd.Path, p.words.String())
		case <-limit:
			return fmt.Errorf("servers: %s is not ready after %v: %w; it said: %s", p.cmd.Path, pollLimit, err, p.words.String())
		case <-time.After(pollEvery):
		}
	}
}

// freePort returns a loopback port that was free just before.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("servers: find a free port: %w", err)
	}
	addr, ok := l.Addr().(*net.TCPAddr)
	if err := errors.Join(l.Close()); err != nil || !ok {
		return 0, fmt.Errorf("servers: find a free port: %w", err)
	}
	return addr.Port, nil
}

// tail keeps the end of a child's output, for error messages.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
