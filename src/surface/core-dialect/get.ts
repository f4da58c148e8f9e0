// One resource of the core dialect, with its children down to the requested depth.
import { pathOf, type Resource } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { entityTag } from '../entity-tag.ts';
import { type Exchange, measured, type Reply } from '../http/exchange.ts';
import { piecesOf } from '../http/streams.ts';
import { type Machinery, viewOf } from '../machinery.ts';
import { drawOne, one } from './envelope.ts';
import { depthOf } from './query.ts';

export async function getCall(machinery: Machinery, resource: Resource, x: Exchange): Promise<Reply> {
  const { drawn, long } = machinery;
  const row = x.rows.at(-1) as Row;
  const epoch = resource.shown.hasSecrets ? undefined : x.epoch; // undefined: the answer is not kept
  const { role, user } = x.who; // derived properties may depend on the rights of a user
  const key = `${row.contract} ${role === 'user' ? user : ''} ${x.base}${x.path}?${x.query}`;
  if (epoch !== undefined) {
    const known = drawn.get(key, epoch);
    if (known) return known;
    const sent = long.get(key, epoch);
    if (sent && 'stream' in sent) return { status: 200, stream: piecesOf(sent.stream) };
  }
  const depth = depthOf(x);
  const view = await viewOf(machinery, x, pathOf(row));
  const answer =
    depth > 1
      ? await long.draw((canvas) => drawOne(canvas, view, resource, row, depth), key, epoch)
      : { text: await one(view, resource, row, depth) };
  if ('stream' in answer) return { status: 200, stream: piecesOf(answer.stream) };
  const reply = measured(answer.text, entityTag(x, answer.text));
  if (epoch !== undefined) drawn.keep(key, epoch, reply);
  return reply;
}
