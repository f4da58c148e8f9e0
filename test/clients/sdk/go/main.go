// The Go SDK as this suite uses it: settings in the environment, one line of JSON per check on standard output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	ionos "github.com/ionos-cloud/sdk-go/v6"
)

var settings struct {
	Url, Token, Tag string
	Sections        []string
}

var (
	ctx    = context.Background()
	client *ionos.APIClient
)

type seen map[string]any

func main() {
	must(json.Unmarshal([]byte(os.Getenv("CLIENT_SETTINGS")), &settings))
	client = connect("", "", settings.Token)
	run("infrastructure", infrastructure)
	run("addresses", addresses)
	run("servers", servers)
	run("networks", networks)
	run("identity", identity)
	run("reading", reading)
	run("errors", mistakes)
	run("broken", broken)
}

// Without a url the host is the SDK's own; the proxy comes from HTTPS_PROXY, the CA from SSL_CERT_FILE.
func connect(user, password, token string) *ionos.APIClient {
	return ionos.NewAPIClient(ionos.NewConfiguration(user, password, token, settings.Url))
}

// A section that breaks says so and leaves the others alone.
func run(name string, section func()) {
	if !slices.Contains(settings.Sections, name) {
		return
	}
	defer func() {
		if why := recover(); why != nil {
			tell(seen{"broken": name, "why": fmt.Sprintf("%v\n%s", why, debug.Stack())})
		}
	}()
	section()
}

func report(check string, parts ...seen) {
	all := seen{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	tell(seen{"check": check, "seen": all})
}

func tell(line seen) {
	text, err := json.Marshal(line)
	must(err)
	fmt.Println(string(text))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The answer to a change, after its request has ended.
func accepted[T any](body T, response *ionos.APIResponse, err error) seen {
	must(err)
	location := response.Header.Get("Location")
	_, err = client.WaitForRequest(ctx, location)
	must(err)
	return seen{"status": response.StatusCode, "location": location, "body": body}
}

func deleted(response *ionos.APIResponse, err error) seen {
	return accepted[any](nil, response, err)
}

func answered[T any](body T, response *ionos.APIResponse, err error) seen {
	must(err)
	return seen{"status": response.StatusCode, "location": response.Header.Get("Location"), "body": body}
}

func read[T any](body T, _ *ionos.APIResponse, err error) T {
	must(err)
	return body
}

func refused[T any](_ T, _ *ionos.APIResponse, err error) seen {
	var refusal ionos.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		panic(fmt.Sprintf("the call was not refused: %v", err))
	}
	return seen{"status": refusal.StatusCode(), "body": refusal.Model()}
}

func text(value string) *string { return &value }
func yes() *bool                { return ionos.ToPtr(true) }
func no() *bool                 { return ionos.ToPtr(false) }

func named(name string) string { return settings.Tag + "-" + name }
