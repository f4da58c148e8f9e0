"""An example of a user's suite: a contract for each test, in one shared region."""

import pytest
from cumulet import start_region

DATACENTERS = "/cloudapi/v6/datacenters"


@pytest.mark.parametrize("count", range(200))
def test_a_contract_each(cumulet, count):
    cumulet.call("POST", DATACENTERS, {"properties": {"name": f"mine {count}", "location": "de/txl"}})
    items = cumulet.call("GET", f"{DATACENTERS}?depth=1")["items"]
    assert [one["properties"]["name"] for one in items] == [f"mine {count}"]


def test_the_region(cumulet_region):
    first = cumulet_region.call("GET", DATACENTERS)["items"]
    cumulet_region.fault(kind="datacenter", step="create.*", mode="fail")
    cumulet_region.advance("2d12h")
    cumulet_region.call("POST", DATACENTERS, {"properties": {"name": "later", "location": "de/txl"}})
    cumulet_region.wait_until_idle()
    assert cumulet_region.call("GET", "/lab/clock")["offsetMs"] == 60 * 3600 * 1000
    token = cumulet_region.token
    cumulet_region.advance("400d")
    assert cumulet_region.env()["IONOS_TOKEN"] != token  # it has expired, and was renewed
    cumulet_region.reset()
    assert cumulet_region.call("GET", "/lab/clock")["offsetMs"] == 0
    assert cumulet_region.call("GET", DATACENTERS)["items"] == first
    assert first[0]["type"] == "datacenter"  # the seed's


def test_a_region_elsewhere(cumulet_region, monkeypatch):
    monkeypatch.setenv("CUMULET_URL", cumulet_region.url)
    with pytest.raises(RuntimeError, match="no CUMULET_TOKEN"):
        start_region()
    monkeypatch.setenv("CUMULET_TOKEN", cumulet_region.token)
    with pytest.raises(RuntimeError, match="CUMULET_SEEDED=other.yaml"):
        start_region(seed="other.yaml")
    assert start_region().contract_number == cumulet_region.contract_number
    monkeypatch.setenv("CUMULET_URL", "http://127.0.0.1:1")
    with pytest.raises(RuntimeError, match="at CUMULET_URL, http"):
        start_region()
