// A source whose lists do not end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reading } from './reading.ts';

test('a source with more resources than allowed is refused, also if its pages have no end', async () => {
  let calls = 0;
  const reader = {
    async get() {
      const items = Array.from({ length: 1000 }, (_, at) => ({ id: `${calls}-${at}`, properties: {} }));
      calls++;
      return { items };
    },
  };
  const regions = { all: [], home: 'de-txl' };
  const reading = new Reading({ reader, sections: new Map(), regions, mostResources: 5000 });
  await assert.rejects(reading.readAll(), /The source has more than 5000 resources\. Read one datacenter\./);
  assert.equal(calls, 6);
});
