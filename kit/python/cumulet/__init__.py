"""A Cumulet region for tests. Starts the installed program, or uses the region that CUMULET_URL and CUMULET_TOKEN name.

Only the standard library is needed:

    from cumulet import start_region

    with start_region(seed="shop.yaml") as region:
        contract = region.contract()
        contract.call("GET", "/cloudapi/v6/datacenters")
"""

from .region import Account, CallFailed, Contract, Region, start_region

__all__ = ["Account", "CallFailed", "Contract", "Region", "start_region"]
