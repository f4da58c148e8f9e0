// A whole zone for another name server (RFC 5936): the SOA, every record, the SOA again, in messages of some kilobytes.

import { TimeSlice } from '../../core/threads/time-slice.ts';
import type { Signer } from '../dnssec/signer.ts';
import { typeNumbers } from '../records/types.ts';
import { MessageWriter, type OwnedSet, type Query, responseCodes } from './message.ts';
import { aliasSets, type FindZone, type ServedZone } from './resolve.ts';

const messageBytes = 16_000;

interface Zones {
  find: FindZone;
  owns(name: string): boolean; // false for names inside a zone of another contract, which are omitted
}

export async function* transferMessages(query: Query, zone: ServedZone, zones: Zones): AsyncGenerator<Buffer> {
  const plain: Query = { ...query, edns: undefined };
  const slice = new TimeSlice();
  let batch: OwnedSet[] = [];
  let bytes = 0;
  for await (const owned of piecesOf(zone, zones)) {
    const size = sizeOf(owned);
    if (batch.length > 0 && bytes + size > messageBytes) {
      yield messageOf(plain, batch);
      batch = [];
      bytes = 0;
    }
    batch.push(owned);
    bytes += size;
    await slice.pause();
  }
  if (batch.length > 0) yield messageOf(plain, batch);
}

function messageOf(query: Query, sets: OwnedSet[]): Buffer {
  const writer = new MessageWriter(query, { code: responseCodes.none, isAuthoritative: true });
  writer.section(sets);
  return writer.end();
}

// A set that is longer than a message is split.
async function* piecesOf(zone: ServedZone, zones: Zones): AsyncGenerator<OwnedSet> {
  for await (const owned of setsOf(zone, zones)) {
    if (sizeOf(owned) <= messageBytes) yield owned;
    else {
      const { name, set, signatures = [] } = owned;
      for (const data of set.data) yield { name, set: { ...set, data: [data] } };
      yield { name, set: { ...set, data: [] }, signatures };
    }
  }
}

async function* setsOf({ data, soa, signer }: ServedZone, { find, owns }: Zones): AsyncGenerator<OwnedSet> {
  const signed = async (owned: OwnedSet): Promise<OwnedSet> =>
    signer ? { ...owned, signatures: [await signatureOf(signer, owned)] } : owned;
  const isSent = (name: string): boolean => data.delegationAbove(name) !== undefined || owns(name);
  const apex = { name: data.name, set: soa() };
  yield await signed(apex);
  for (const set of signer?.apexSets() ?? []) yield await signed({ name: data.name, set });
  for (const name of data.names()) {
    if (!isSent(name)) continue;
    const sets = data.setsAt(name);
    const delegation = data.delegationAbove(name);
    for (const set of sets?.values() ?? []) {
      if (set.type === typeNumbers.ALIAS || set.type === typeNumbers.SOA) continue;
      const isOwn = delegation === undefined || (delegation === name && set.type === typeNumbers.DS);
      yield isOwn ? await signed({ name, set }) : { name, set };
    }
    // Other name servers do not know ALIAS records.
    if (sets && delegation === undefined) for (const set of aliasSets(find, sets)) yield await signed({ name, set });
  }
  for (let settling = signer?.settle(); settling; settling = signer?.settle()) await settling;
  for await (const link of signer?.chain(isSent) ?? []) yield await signed(link);
  yield apex;
}

async function signatureOf(signer: Signer, { name, set }: OwnedSet): Promise<Buffer> {
  for (;;) {
    const signature = signer.signatureOf(name, set);
    if (Buffer.isBuffer(signature)) return signature;
    await signature;
  }
}

const sizeOf = ({ name, set, signatures = [] }: OwnedSet): number =>
  [...set.data, ...signatures].reduce((sum, data) => sum + name.length + 12 + data.length, 0);
