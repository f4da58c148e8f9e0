import { run } from './client.ts';
import { identity } from './identity.ts';
import { addresses, infrastructure } from './infrastructure.ts';
import { broken, errors, reading } from './reading.ts';

await run({ infrastructure, addresses, identity, reading, errors, broken });
