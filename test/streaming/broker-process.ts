// A broker in a process of its own, for tests that kill it. It reads its options as JSON from the command line and
// prints its addresses as JSON when it serves.
import { createClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { type BrokerOptions, openBroker } from '../../src/streaming/broker/broker.ts';

const options = JSON.parse(process.argv[2] ?? '') as BrokerOptions;
const clock = createClock();
const log = createLog(
  (line) => process.stderr.write(line),
  () => clock.now(),
);
const broker = await openBroker(options, { clock, log });
if (!broker.cluster.topics.byName.has('crash'))
  await broker.cluster.topics.create({ name: 'crash', partitions: 4, replicationFactor: 3, configs: {} });
process.stdout.write(`${JSON.stringify(broker.addresses)}\n`);
