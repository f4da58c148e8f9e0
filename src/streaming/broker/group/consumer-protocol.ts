// The content that consumers write into the opaque fields of the classic protocol: the subscription that a member sends
// when it joins, and the assignment that it gets. The broker reads them only for groups that change their protocol.
import { array, bytes, codecOf, type Fields, int32, string } from '../wire/field.ts';
import { MalformedError, Reader } from '../wire/reader.ts';
import { Writer } from '../wire/writer.ts';

export const consumerProtocolType = 'consumer';

export interface NamedPartitions {
  topic: string;
  partitions: number[];
}

export interface Subscription {
  topics: string[];
  ownedPartitions: NamedPartitions[];
  rackId: string | null;
}

const named = array({ topic: string, partitions: array(int32) });
const subscription = {
  topics: array(string),
  userData: bytes.nullable(),
  ownedPartitions: named.since(1),
  generationId: int32.since(2).or(-1),
  rackId: string.since(3).nullable(),
};
const assignment = { assignedPartitions: named, userData: bytes.nullable() };
const newestVersion = 3;

// A newer version has the fields of the newest known version, followed by others.
function read<F extends Fields>(fields: F, content: Buffer) {
  const reader = new Reader(content);
  const version = reader.int16();
  if (version < 0) throw new MalformedError(`unknown version ${version} of the consumer protocol`);
  return codecOf(fields, Math.min(version, newestVersion), false).read(reader);
}

export const readSubscription = (metadata: Buffer): Subscription => read(subscription, metadata);

export function readAssignment(content: Buffer): { partitions: NamedPartitions[]; hasUserData: boolean } {
  if (content.length === 0) return { partitions: [], hasUserData: false };
  const { assignedPartitions, userData } = read(assignment, content);
  return { partitions: assignedPartitions, hasUserData: (userData?.length ?? 0) > 0 };
}

export const versionOf = (metadata: Buffer): number => Math.min(new Reader(metadata).int16(), newestVersion);

export function writeAssignment(assignedPartitions: NamedPartitions[], version: number): Buffer {
  const writer = new Writer();
  writer.int16(version);
  codecOf(assignment, version, false).write(writer, { assignedPartitions, userData: null });
  return Buffer.concat(writer.finish());
}

// For tests: the metadata of a member.
export function writeSubscription(given: Partial<Subscription>, version: number): Buffer {
  const writer = new Writer();
  writer.int16(version);
  codecOf(subscription, version, false).write(writer, { userData: null, ...given });
  return Buffer.concat(writer.finish());
}
