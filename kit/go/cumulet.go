// Package cumulet runs a Cumulet region for tests. It starts the installed program, or uses the region that CUMULET_URL
// and CUMULET_TOKEN name.
//
//	region := cumulet.Start(t, cumulet.Options{Seed: "shop.yaml"})
//	contract := region.Contract(t)
package cumulet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	startName  = "kit-start"
	startLimit = 60 * time.Second
	workLimit  = 60 * time.Second
)

// TB is what is needed of *testing.T and *testing.B.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Options of a region; all of them may be left out.
type Options struct {
	Seed    string            // a seed file, or a folder of them
	Pace    int               // milliseconds that each step of an operation takes
	Args    []string          // more options of `cumulet up`
	Env     map[string]string // more variables of its process
	Command []string          // what to start; CUMULET_BIN, or cumulet on the PATH
}

// Account is what a test needs of an account: an address, a token, and calls with it.
type Account struct {
	URL            string
	Token          string
	ContractNumber int

	owner   owner      // without an e-mail: the token can't be renewed
	renewal sync.Mutex // guards Token
}

type owner struct{ Email, Password string }

// Contract is a separate contract for one test.
type Contract struct {
	Account
	Email    string // of its owner
	Password string
}

// Region is a region. One that was started here ends with this process, however that ends.
type Region struct {
	Account
	Services map[string]string // where they are reached; of a region that was found: none
	process  *process
	seed     string
}

// Fault is planted into the steps of operations.
type Fault struct {
	Kind     string `json:"kind"` // a resource, such as datacenter, or *
	Step     string `json:"step"` // such as create.provision or change.*
	Mode     string `json:"mode"` // fail, stall or crash
	Times    int    `json:"times,omitempty"`
	When     string `json:"when,omitempty"` // before or after
	Message  string `json:"message,omitempty"`
	Contract int    `json:"contract,omitempty"`
}

// CallError is a call that the region refused.
type CallError struct {
	Method, Path string
	Status       int
	Body         []byte
}

func (e *CallError) Error() string {
	var said struct {
		Messages []struct{ Message string } `json:"messages"`
	}
	text := string(e.Body)
	if json.Unmarshal(e.Body, &said) == nil && len(said.Messages) > 0 {
		parts := make([]string, len(said.Messages))
		for i, one := range said.Messages {
			parts[i] = one.Message
		}
		text = strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, text)
}

// Start starts a region for a test and stops it at its end.
func Start(t TB, options Options) *Region {
	t.Helper()
	region, err := StartRegion(options)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(region.Stop)
	return region
}

// StartRegion is for TestMain, where one region serves all tests of a package.
func StartRegion(options Options) (*Region, error) {
	if url := os.Getenv("CUMULET_URL"); url != "" {
		return found(strings.TrimSuffix(url, "/"), os.Getenv("CUMULET_TOKEN"), options.Seed)
	}
	process, err := startProcess(options)
	if err != nil {
		return nil, err
	}
	region, err := process.region()
	if err == nil {
		region.seed = options.Seed
		err = region.SavePoint(startName)
	}
	if err != nil {
		process.stop()
		return nil, err
	}
	return region, nil
}

// Env has the variables that ionosctl, Terraform and the SDKs read.
func (a *Account) Env() map[string]string {
	return map[string]string{"IONOS_API_URL": a.URL, "IONOS_TOKEN": a.currentToken()}
}

// S3Env has the variables of S3 clients, with a new key.
func (a *Account) S3Env() (map[string]string, error) {
	var made struct {
		Properties struct{ AccessKey, SecretKey string }
	}
	empty := map[string]any{"properties": map[string]any{}}
	if err := a.Call("POST", "/objectstorage-management/accesskeys", empty, &made); err != nil {
		return nil, err
	}
	return map[string]string{
		"AWS_ENDPOINT_URL_S3":   a.URL,
		"AWS_ACCESS_KEY_ID":     made.Properties.AccessKey,
		"AWS_SECRET_ACCESS_KEY": made.Properties.SecretKey,
		"AWS_REGION":            "eu-central-3",
	}, nil
}

// Call calls the API. The answer's JSON is put into `into`, unless that is nil; a refusal is a *CallError.
func (a *Account) Call(method, path string, body, into any) error {
	token := a.currentToken()
	err := call(a.URL, method, path, bearer(token), body, into)
	var refused *CallError
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || a.owner.Email == "" {
		return err
	}
	if token, err = a.renewed(token); err != nil {
		return err
	}
	return call(a.URL, method, path, bearer(token), body, into)
}

// RenewToken makes a new token in place of one that has expired. Calls from here do it themselves; clients that have
// Token or Env of before need it.
func (a *Account) RenewToken() error {
	if a.owner.Email == "" {
		return errors.New("the token of a region that was started elsewhere is not renewed from here")
	}
	_, err := a.renewed(a.currentToken())
	return err
}

func (a *Account) currentToken() string {
	a.renewal.Lock()
	defer a.renewal.Unlock()
	return a.Token
}

// Unless another call has renewed it.
func (a *Account) renewed(old string) (string, error) {
	a.renewal.Lock()
	defer a.renewal.Unlock()
	if a.Token != old {
		return a.Token, nil
	}
	token, err := a.owner.newToken(a.URL)
	if err == nil {
		a.Token = token
	}
	return a.Token, err
}

func (o owner) newToken(address string) (string, error) {
	var made struct{ Token string }
	basic := func(r *http.Request) { r.SetBasicAuth(o.Email, o.Password) }
	err := call(address, "GET", "/auth/v1/tokens/generate", basic, nil, &made)
	return made.Token, err
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// Contract creates a contract with its own owner: tests with a contract each do not see each other.
func (r *Region) Contract(t TB) *Contract {
	t.Helper()
	contract, err := r.NewContract()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return contract
}

// NewContract is Contract outside of a test.
func (r *Region) NewContract() (*Contract, error) {
	var made struct {
		Contract               int
		Email, Password, Token string
	}
	if err := r.Call("POST", "/lab/contracts", nil, &made); err != nil {
		return nil, err
	}
	return &Contract{
		Account: Account{
			URL: r.URL, Token: made.Token, ContractNumber: made.Contract, owner: owner{made.Email, made.Password},
		},
		Email:    made.Email,
		Password: made.Password,
	}, nil
}

// Reset makes the region what it was when it had started, with its seed.
func (r *Region) Reset() error {
	if r.process == nil {
		return errors.New("this region was started elsewhere, and others may use it, so it can't be reset")
	}
	return r.Restore(startName)
}

// SavePoint saves the current state of the region.
func (r *Region) SavePoint(name string) error {
	return r.work("/lab/savepoints", map[string]string{"name": name})
}

// Restore makes the region what it was at a save point.
func (r *Region) Restore(name string) error {
	return r.work("/lab/savepoints/"+url.PathEscape(name)+"/restore", nil)
}

// Advance moves the clock. The region's token is renewed where it has expired by that.
func (r *Region) Advance(by time.Duration) error {
	if err := r.Call("PUT", "/lab/clock", map[string]int64{"advanceMs": by.Milliseconds()}, nil); err != nil {
		return err
	}
	return r.Call("GET", "/lab/clock", nil, nil)
}

// Plant adds a fault to the planted ones.
func (r *Region) Plant(fault Fault) error {
	var planted struct{ Faults []Fault }
	if err := r.Call("GET", "/lab/faults", nil, &planted); err != nil {
		return err
	}
	return r.Call("PUT", "/lab/faults", map[string][]Fault{"faults": append(planted.Faults, fault)}, nil)
}

// ClearFaults removes all faults.
func (r *Region) ClearFaults() error {
	return r.Call("PUT", "/lab/faults", map[string][]Fault{"faults": {}}, nil)
}

// WaitUntilIdle waits until no operation is under way.
func (r *Region) WaitUntilIdle() error {
	for {
		var idle struct{ Running int }
		if err := r.Call("GET", "/lab/idle", nil, &idle); err != nil || idle.Running == 0 {
			return err
		}
	}
}

// Share is for processes that are started from here: their StartRegion finds this one.
func (r *Region) Share() error {
	seeded := r.seed
	if seeded != "" {
		seeded = absolute(seeded)
	}
	return errors.Join(
		os.Setenv("CUMULET_URL", r.URL),
		os.Setenv("CUMULET_TOKEN", r.currentToken()),
		os.Setenv("CUMULET_SEEDED", seeded),
	)
}

// Stop stops a region that was started here.
func (r *Region) Stop() {
	if r.process != nil {
		r.process.stop()
	}
}

// The region stops for a moment, in which calls fail.
func (r *Region) work(path string, body any) error {
	var begun struct{ ID string }
	if err := r.Call("POST", path, body, &begun); err != nil {
		return err
	}
	for until := time.Now().Add(workLimit); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		var list struct {
			Last struct{ ID, State, Message string }
		}
		if err := r.Call("GET", "/lab/savepoints", nil, &list); err != nil || list.Last.ID != begun.ID {
			continue
		}
		switch list.Last.State {
		case "DONE":
			return nil
		case "FAILED":
			return errors.New(list.Last.Message)
		}
	}
	return fmt.Errorf("%s did not finish within %s", path, workLimit)
}

// The region that CUMULET_URL names.
func found(url, token, seed string) (*Region, error) {
	if token == "" {
		return nil, fmt.Errorf("CUMULET_URL names the region at %s, but there is no CUMULET_TOKEN of its owner", url)
	}
	if seeded := os.Getenv("CUMULET_SEEDED"); seed != "" && (seeded == "" || absolute(seed) != absolute(seeded)) {
		return nil, fmt.Errorf("the region that CUMULET_URL names was started elsewhere and is not filled from here: "+
			"seed it there, and say so with CUMULET_SEEDED=%s", seed)
	}
	region := &Region{Account: Account{URL: url, Token: token}, seed: seed}
	var contracts struct {
		Items []struct {
			Properties struct{ ContractNumber int }
		}
	}
	if err := region.Call("GET", "/cloudapi/v6/contracts?depth=1", nil, &contracts); err != nil {
		return nil, fmt.Errorf("the region at CUMULET_URL, %s, can't be used: %w", url, err)
	}
	if len(contracts.Items) > 0 {
		region.ContractNumber = contracts.Items[0].Properties.ContractNumber
	}
	return region, nil
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// It ends with us, however we end: it watches the pipe to its standard input.
type process struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  io.ReadCloser
	errors  lastBytes
	once    sync.Once
}

type ready struct {
	Event    string
	Gateway  string
	Contract int
	Services map[string]string
	Owner    owner
}

func startProcess(options Options) (*process, error) {
	command := options.Command
	if len(command) == 0 {
		command = strings.Fields(os.Getenv("CUMULET_BIN"))
	}
	if len(command) == 0 {
		program, err := exec.LookPath("cumulet")
		if err != nil {
			return nil, errors.New("the program cumulet is not on the PATH: install it, or name it by CUMULET_BIN")
		}
		command = []string{program}
	}
	args := append(command[1:len(command):len(command)],
		"up", "--ephemeral", "--json", "--port", "0", "--pace", strconv.Itoa(options.Pace))
	if options.Seed != "" {
		args = append(args, "--seed", options.Seed)
	}
	p := &process{command: exec.Command(command[0], append(args, options.Args...)...)}
	p.command.Env = os.Environ()
	for name, value := range options.Env {
		p.command.Env = append(p.command.Env, name+"="+value)
	}
	p.command.Stderr = &p.errors
	var err error
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.output, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.command.Start()
}

func (p *process) region() (*Region, error) {
	events := make(chan ready, 1)
	go func() {
		defer close(events)
		lines := bufio.NewScanner(p.output)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var event ready
			if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "ready" {
				events <- event
			}
		}
	}()
	var started ready
	var isReady bool
	select {
	case started, isReady = <-events:
	case <-time.After(startLimit):
	}
	if !isReady {
		return nil, fmt.Errorf("the region did not start: %s", p.errors.String())
	}
	token, err := started.Owner.newToken(started.Gateway)
	if err != nil {
		return nil, err
	}
	account := Account{URL: started.Gateway, Token: token, ContractNumber: started.Contract, owner: started.Owner}
	return &Region{Account: account, Services: started.Services, process: p}, nil
}

func (p *process) stop() {
	p.once.Do(func() {
		p.input.Close()
		_ = p.command.Process.Signal(os.Interrupt)
		_ = p.command.Wait()
	})
}

// lastBytes keeps the end of what is written to it.
type lastBytes struct {
	mutex sync.Mutex
	bytes []byte
}

func (l *lastBytes) Write(bytes []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bytes = append(l.bytes, bytes...)
	if most := 20_000; len(l.bytes) > most {
		l.bytes = l.bytes[len(l.bytes)-most:]
	}
	return len(bytes), nil
}

func (l *lastBytes) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return string(l.bytes)
}

// The region is on this machine: no proxy of the environment is asked.
var direct = &http.Client{Transport: &http.Transport{}}

func call(address, method, path string, authorize func(*http.Request), body, into any) error {
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, address+path, sent)
	if err != nil {
		return err
	}
	authorize(request)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := direct.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return &CallError{method, path, answer.StatusCode, text}
	}
	if into == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}
