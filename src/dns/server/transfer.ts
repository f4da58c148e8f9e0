// A whole zone for another name server (RFC 5936): the SOA, every record, the SOA again, in messages of some kilobytes.

import { typeNumbers } from '../records/types.ts';
import { MessageWriter, type OwnedSet, type Query, responseCodes } from './message.ts';
import type { ServedZone } from './resolve.ts';

const messageBytes = 16_000;
const yieldEvery = 50; // signatures take their time

// `owns`: false for names inside a zone of another contract, which are left out.
export async function* transferMessages(
  query: Query,
  zone: ServedZone,
  owns: (name: string) => boolean,
): AsyncGenerator<Buffer> {
  const plain: Query = { ...query, edns: undefined };
  let batch: OwnedSet[] = [];
  let bytes = 0;
  let seen = 0;
  for (const owned of setsOf(zone, owns)) {
    batch.push(owned);
    bytes += sizeOf(owned);
    if (++seen % yieldEvery === 0) await new Promise(setImmediate);
    if (bytes < messageBytes) continue;
    yield messageOf(plain, batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield messageOf(plain, batch);
}

function messageOf(query: Query, sets: OwnedSet[]): Buffer {
  const writer = new MessageWriter(query, { code: responseCodes.none, isAuthoritative: true });
  writer.section(sets);
  return writer.end();
}

function* setsOf({ data, soa, signer }: ServedZone, owns: (name: string) => boolean): Generator<OwnedSet> {
  const apex = { name: data.name, set: soa() };
  const signed = (owned: OwnedSet): OwnedSet =>
    signer ? { ...owned, signatures: signer.signaturesOf(owned.name, owned.set) } : owned;
  yield signed(apex);
  for (const set of signer?.apexSets() ?? []) yield signed({ name: data.name, set });
  const names = new Set<string>([...data.names(), ...[...data.records()].map(({ name }) => name.toLowerCase())]);
  for (const name of names) {
    const delegation = data.delegationAbove(name);
    if (delegation === undefined && !owns(name)) continue;
    for (const set of data.setsAt(name)?.values() ?? []) {
      if (set.type === typeNumbers.ALIAS || set.type === typeNumbers.SOA) continue;
      const isOwn = delegation === undefined || (delegation === name && set.type === typeNumbers.DS);
      yield isOwn ? signed({ name, set }) : { name, set };
    }
  }
  if (signer) yield* signer.chain();
  yield apex;
}

const sizeOf = ({ name, set, signatures = [] }: OwnedSet): number =>
  [...set.data, ...signatures].reduce((sum, data) => sum + name.length + 12 + data.length, 0);
