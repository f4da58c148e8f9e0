import { run } from './client.ts';
import { identity } from './identity.ts';
import { addresses, infrastructure } from './infrastructure.ts';
import { networks } from './networks.ts';
import { broken, errors, reading } from './reading.ts';
import { servers } from './servers.ts';

await run({ infrastructure, addresses, servers, networks, identity, reading, errors, broken });
