"""Fixtures for pytest: `cumulet_region` is one region for the whole run, `cumulet` a fresh contract in it per test.

The file or folder of a seed is named in the configuration: `cumulet_seed = shop.yaml`. With pytest-xdist each worker has
its own region, or all share the one that CUMULET_URL names.
"""

import pytest

from .region import start_region


def pytest_addoption(parser):
    parser.addini("cumulet_seed", "a seed file of Cumulet, or a folder of them", default="")
    parser.addini("cumulet_args", "more options of `cumulet up`", type="args", default=[])


@pytest.fixture(scope="session")
def cumulet_region(pytestconfig):
    seed = pytestconfig.getini("cumulet_seed")
    path = pytestconfig.rootpath / seed if seed else None
    with start_region(seed=path, args=pytestconfig.getini("cumulet_args")) as region:
        yield region


@pytest.fixture
def cumulet(cumulet_region):
    return cumulet_region.contract()
