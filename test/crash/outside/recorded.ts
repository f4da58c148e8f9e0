// The names of the resources whose creation is in the activity log, once for each entry; tokens by their ids. The log
// is read once, when the lanes have ended.
import assert from 'node:assert/strict';
import type { Region } from '../../harness/region.ts';

interface Entry {
  '@uuid': string;
  action: string;
  event: { resources: { id: string; name?: string }[] };
}

interface Log {
  hits: { total: number; hits: { _source: Entry }[] };
}

const pageSize = 1000;

export function recordedIn(region: Region): () => Promise<string[]> {
  let names: Promise<string[]> | undefined;
  return () => {
    names ??= entriesOf(region).then((entries) =>
      entries
        .filter(({ action }) => /\.(create|generate)$/.test(action))
        .map(({ event: { resources } }) => resources[0]?.name ?? resources[0]?.id ?? ''),
    );
    return names;
  };
}

async function entriesOf(region: Region): Promise<Entry[]> {
  const found = new Map<string, Entry>(); // an entry that is written now moves the pages
  for (let offset = 0, total = 1; offset < total; offset += pageSize) {
    const path = `/activitylog/v1/contracts/${region.contract}?limit=${pageSize}&offset=${offset}`;
    const { status, body } = await region.call<Log>('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    for (const { _source } of body.hits.hits) found.set(_source['@uuid'], _source);
    total = body.hits.total;
  }
  return [...found.values()];
}
