from identity import identity
from infrastructure import addresses, infrastructure
from networks import networks
from reading import broken, errors, reading
from servers import servers
from client import run

run(infrastructure, addresses, servers, networks, identity, reading, errors, broken)
