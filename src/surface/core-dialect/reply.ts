// The answer to a change in the core dialect: the resource as it will be, and where its request can be polled.
import type { Accepted } from '../../core/operation/operation.ts';
import { type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { tagHeader } from '../entity-tag.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { etagOf, one, type View } from './envelope.ts';
import { depthOf } from './query.ts';

// Shows one part of the accepted draft: the requested one, unless another is named.
export async function changeReply(
  machinery: Machinery,
  x: Exchange,
  { drafts, shown, isPending }: Accepted,
  part: Draft = drafts[0] as Draft,
): Promise<Reply> {
  const { resource, way } = part;
  const kept = shown[drafts.indexOf(part)] as Row;
  const version = way === 'create' ? 1 : kept.version + 1;
  const row = { ...kept, version, state: isPending || way === 'remove' ? 'CHANGING' : 'AVAILABLE' };
  const depth = depthOf(x);
  const body = await one(await replyView(machinery, x, row, depth), resource, row, depth);
  const tag = resource.shown.metadata === 'none' ? [] : tagHeader(x, etagOf(row, pathOf(row)));
  if (resource.lifecycle.synchronous) return { status: way === 'create' ? 201 : 200, body, headers: tag };
  return { status: resource.lifecycle.replies?.[way] ?? 202, body, headers: [...requestLocation(x), ...tag] };
}

export const requestLocation = (x: Exchange): string[] => ['Location', `${x.base}/requests/${x.id}/status`];

// A row that was just written is BUSY by itself. Other pending operations matter only for the resources inside it.
async function replyView(machinery: Machinery, x: Exchange, row: Row, depth: number): Promise<View> {
  if (depth > 0 || row.state === 'AVAILABLE') return viewOf(machinery, x, pathOf(row));
  const { store, model } = machinery;
  return { store, reader: store, model, base: x.base, contract: row.contract, caller: x.who, busy: () => true };
}
