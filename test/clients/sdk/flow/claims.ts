// Assertions that several checks share.
import assert from 'node:assert/strict';
import type { ResourceBody } from '../../../harness/region.ts';
import type { Journey, Refusal, Seen } from './flow.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const part = (seen: Seen, name: string): ResourceBody => seen[name] as ResourceBody;

// 202 with the resource and the address of its request, which the client has awaited.
export function isAccepted(seen: Seen, type: string, journey: Journey, state?: 'BUSY'): void {
  assert.equal(seen.status, 202);
  hasRequest(seen, journey);
  assert.equal(seen.body.type, type);
  assert.ok(seen.body.id);
  assert.ok(seen.body.href.startsWith(`${journey.base}/`), seen.body.href);
  if (state) assert.equal(seen.body.metadata.state, state);
}

export function hasRequest({ location }: Seen, { base }: Journey): void {
  const [before, id, after] = String(location).split(/\/requests\/|\/(?=status$)/);
  assert.equal(before, base);
  assert.match(String(id), uuid);
  assert.equal(after, 'status');
}

export function isDeleted(seen: Seen, journey: Journey): void {
  assert.equal(seen.status, 202);
  hasRequest(seen, journey);
  isRefused(seen.gone, 404, '309');
}

export function isRefused({ status, body }: Refusal, expected: number, code: string, ...texts: RegExp[]): void {
  assert.equal(status, expected);
  assert.equal(body.httpStatus, expected);
  assert.ok(body.messages.length > 0);
  for (const { errorCode, message } of body.messages) {
    assert.equal(typeof errorCode, 'string');
    assert.notEqual(message, '');
  }
  assert.ok(
    body.messages.some((one) => one.errorCode === code),
    JSON.stringify(body.messages),
  );
  const said = body.messages.map(({ message }) => message).join('\n');
  for (const text of texts) assert.match(said, text);
}

// The shown properties include these.
export function shows(shown: ResourceBody, expected: Record<string, unknown>): void {
  const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, shown.properties[name] ?? null]));
  assert.deepEqual(seen, expected);
}

export const namesOf = (collection: ResourceBody): unknown[] =>
  collection.items.map(({ properties }) => properties.name);
export const idsOf = (collection: ResourceBody): string[] => collection.items.map(({ id }) => id);

export function areReferences(collection: ResourceBody): void {
  assert.equal(collection.type, 'collection');
  for (const item of collection.items) {
    assert.ok(item.id && item.type && item.href);
    assert.equal(item.properties ?? null, null);
  }
}
