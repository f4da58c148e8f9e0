// What every client does with a cluster, in its own language, and the expected results:
// - topic: one is created; its partitions and replicas are shown
// - codecs: 50 records with each codec, idempotent, acks=all, read back in order
// - classic, consumer: a group with each protocol: one member has 6 partitions, a second one comes and both have 3, the
//   first one leaves and the other has 6; every record of each stage is read, and all offsets are committed
// - transactions: one committed with the offset of a group, one aborted, a producer fenced by the next one of its name
// - admin: more partitions, a setting changed, records and a group deleted, all topics deleted
// Brokers learn of a change one after another, so a journey polls until it is visible.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';

export interface Place {
  bootstrap: string;
  ca: string; // files
  certificate: string;
  key: string;
  keystore: string; // key and certificate in one file, as Java takes it
  name: string; // the prefix of its topics and groups
  limitMs: number;
}

export interface Credentials {
  addresses: string[];
  authority: string;
  certificate: string;
  key: string;
}

export function placeOf(
  folder: string,
  name: string,
  credentials: Credentials,
  limitMs: number = limits.client,
): Place {
  const { addresses, authority, certificate, key } = credentials;
  const file = (label: string, text: string): string => {
    const path = join(folder, label);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    bootstrap: addresses.join(','),
    ca: file('ca.pem', authority),
    certificate: file('certificate.pem', certificate),
    key: file('key.pem', key),
    keystore: file('keystore.pem', `${key}${certificate}`),
    name,
    limitMs,
  };
}

const group = { steps: [[6], [3, 3], [6]], read: 180, committed: 180 };
const committed = ['kept 0', 'kept 1', 'kept 2', 'kept 3', 'kept 4', 'last'];

export const expected = {
  topic: [1, 3],
  codecs: ['none', 'gzip', 'snappy', 'lz4', 'zstd'],
  classic: group,
  consumer: group,
  transactions: { committed, all: 11, offset: 77, fenced: true },
  admin: {
    partitions: 8,
    retentionMs: '3600000',
    lowWatermark: 100,
    groups: ['bank', 'classic', 'consumer'],
    isGroupGone: true,
  },
};
