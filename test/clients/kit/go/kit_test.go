package cumulet

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

type list struct {
	Items []struct {
		Properties struct{ Name string }
	}
}

const datacenters = "/cloudapi/v6/datacenters"

func body(name string) map[string]any {
	return map[string]any{"properties": map[string]string{"name": name, "location": "de/txl"}}
}

func TestRegion(t *testing.T) {
	region := Start(t, Options{})
	t.Run("contracts", func(t *testing.T) {
		for count := 0; count < 50; count++ {
			name := fmt.Sprintf("mine %d", count)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				contract := region.Contract(t)
				var found list
				if err := contract.Call("POST", datacenters, body(name), nil); err != nil {
					t.Fatal(err)
				}
				if err := contract.Call("GET", datacenters+"?depth=1", nil, &found); err != nil {
					t.Fatal(err)
				}
				if len(found.Items) != 1 || found.Items[0].Properties.Name != name {
					t.Fatalf("%+v", found)
				}
			})
		}
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(region.Call("POST", datacenters, body("later"), nil))
	must(region.WaitUntilIdle())
	must(region.Plant(Fault{Kind: "datacenter", Step: "create.*", Mode: "fail"}))
	token := region.Token
	contract := region.Contract(t)
	must(region.Advance(400 * 24 * time.Hour))
	if region.Token == token || region.Env()["IONOS_TOKEN"] != region.Token {
		t.Fatal("a token that has expired is renewed")
	}
	must(contract.Call("GET", datacenters, nil, nil))
	must(region.Reset())
	var found list
	must(region.Call("GET", datacenters, nil, &found))
	if len(found.Items) != 0 {
		t.Fatalf("%+v", found)
	}
	if err := region.Call("GET", "/cloudapi/v6/datacenters/none", nil, nil); err == nil {
		t.Fatal("a call that is refused is an error")
	}
	for _, name := range []string{"CUMULET_URL", "CUMULET_TOKEN", "CUMULET_SEEDED"} {
		t.Setenv(name, "") // and as it was, at the end
	}
	must(region.Share())
	other, err := StartRegion(Options{})
	must(err)
	if other.URL != region.URL || other.ContractNumber != region.ContractNumber {
		t.Fatalf("%+v is not the region that is shared", other)
	}
	if other.Reset() == nil {
		t.Fatal("a region that was started elsewhere is not reset")
	}
}

func TestElsewhere(t *testing.T) {
	t.Setenv("CUMULET_URL", "http://127.0.0.1:1")
	t.Setenv("CUMULET_TOKEN", "")
	refused := func(options Options, says string) {
		t.Helper()
		if _, err := StartRegion(options); err == nil || !strings.Contains(err.Error(), says) {
			t.Fatalf("%v does not say %q", err, says)
		}
	}
	refused(Options{}, "there is no CUMULET_TOKEN")
	t.Setenv("CUMULET_TOKEN", "token")
	refused(Options{Seed: "shop.yaml"}, "CUMULET_SEEDED=shop.yaml")
	refused(Options{}, "at CUMULET_URL, http")
}
