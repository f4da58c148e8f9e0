// The network contract over the simulated engine, and its own guarantees.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkContract } from './contract/contract.ts';
import { datacenter, nic, packet, ranges } from './contract/samples.ts';
import { SimulatedNetwork } from './simulated-network.ts';

networkContract('simulated', {
  open: async ({ flowsKept }) => new SimulatedNetwork({ now: () => 1234, ranges, flowsKept }),
  time: 1234,
});

test('a thousand NICs are read once per generation, not once per packet', async () => {
  const network = new SimulatedNetwork({ now: () => 0, ranges });
  const nics = Array.from({ length: 1000 }, (_, at) => nic(`n${at}`, 2, `10.0.${at >> 8}.${at & 255}`));
  const spec = datacenter('D', { nics });
  let reads = 0;
  const watched = new Proxy(spec, {
    get(of, name) {
      reads += 1;
      return Reflect.get(of, name);
    },
  });
  await network.apply(watched, 1);
  const before = reads;
  await network.apply(watched, 1);
  for (let at = 0; at < 100; at++) {
    const { arrived } = await network.send(packet(`n${at}`, `10.0.3.${at}`));
    assert.deepEqual(arrived?.kind === 'nic' && arrived.nicId, `n${768 + at}`);
  }
  assert.equal(reads - before, 1); // its id, to check that it is not a newer one
});
