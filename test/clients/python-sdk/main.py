from identity import identity
from infrastructure import addresses, infrastructure
from reading import broken, errors, reading
from client import run

run(infrastructure, addresses, identity, reading, errors, broken)
