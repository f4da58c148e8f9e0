// Finds the operation of a request by its method, by the target of its path, and by the query parameter that selects a
// part of the bucket or object, such as `?tagging`.

import type { Query } from '../../core/s3-signature/percent-encoding.ts';
import { s3Fault } from '../wire/error.ts';
import type { Operation } from './operation.ts';

export type FindOperation = (request: DispatchRequest) => Operation;

export interface DispatchRequest {
  method: string;
  target: Operation['target'];
  query: Query;
  isCopy: boolean;
}

// Parts of S3 that are not supported, at least not for every target or method: docs/objects.md has the reasons. A part
// that is missing here would be ignored as a parameter, and `DELETE ?annotation` would remove the whole object.
const unknownParts = [
  'abac',
  'accelerate',
  'analytics',
  'annotation',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'logging',
  'metadataAnnotationTable',
  'metadataConfiguration',
  'metadataInventoryTable',
  'metadataJournalTable',
  'metadataTable',
  'metrics',
  'notification',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'select',
  'session',
  'torrent',
];

export function createDispatch(operations: readonly Operation[]): FindOperation {
  const byKey = new Map(operations.map((one) => [keyOf(one.method, one.target, one.query, one.isCopy ?? false), one]));
  const parts = new Set(operations.flatMap(({ query }) => query ?? []));
  const methods = Map.groupBy(operations, ({ target }) => target);
  return ({ method, target, query, isCopy }) => {
    const names = query.map(([name]) => name);
    const missing = names.find((name) => unknownParts.includes(name) && !byKey.has(keyOf(method, target, name, false)));
    if (missing !== undefined && target !== 'service')
      throw s3Fault('NotImplemented', `The S3 subresource ?${missing} is not supported.`);
    const part = names.find((name) => parts.has(name) && byKey.has(keyOf(method, target, name, isCopy)));
    const found =
      byKey.get(keyOf(method, target, part, isCopy)) ??
      byKey.get(keyOf(method, target, part, false)) ??
      (part === undefined ? undefined : byKey.get(keyOf(method, target, undefined, false)));
    const wrongPart =
      part === undefined ? names.find((name) => parts.has(name) && isSelector(operations, target, name)) : undefined;
    if (found && wrongPart === undefined) return found;
    const fault = s3Fault('MethodNotAllowed');
    fault.detail.allow = [...new Set(methods.get(target)?.map((one) => one.method))];
    throw fault;
  };
}

// A parameter that selects an operation of this target for another method: `DELETE ?versioning` must not remove the
// bucket.
const isSelector = (operations: readonly Operation[], target: Operation['target'], name: string): boolean =>
  operations.some((one) => one.target === target && one.query === name);

const keyOf = (method: string, target: string, query: string | undefined, isCopy: boolean): string =>
  `${method} ${target} ${query ?? ''} ${isCopy}`;
