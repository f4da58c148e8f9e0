// Bodies of the core dialect: POST and PUT wrap the properties, PATCH sends them bare.
import { Fault, mostProblems } from '../../base/fault.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { Caller } from '../../core/access.ts';
import type { Sent } from '../../core/operation/draft.ts';
import { report, type Way } from '../../core/schema.ts';

// The properties and entities that were sent; anything else in the body is refused at once.
export function sentOf(body: Json | undefined, way: Way, caller?: Caller): Sent {
  const sent = readSent(body, way, caller);
  if (sent.problems?.length)
    throw new Fault('refused', 'The request body is not acceptable.', { problems: sent.problems });
  return sent;
}

// Also returns the problems outside the properties, so that one refusal reports all problems. A PUT may send back the
// body that it read, and a copy keeps its id.
export function readSent(body: Json | undefined, way: Way, caller?: Caller): Sent {
  if (way === 'change') return { properties: body === undefined ? {} : body };
  if (body === undefined) return { properties: undefined };
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected');
  const problems: Sent['problems'] = [];
  for (const key in body) {
    if (problems.length >= mostProblems) break;
    if (key === 'properties' || key === 'entities' || (key === 'id' && caller?.copies)) continue;
    const isShown = shownKeys.includes(key);
    if (isShown && way !== 'create') continue;
    if (isShown) report(problems, `(root).${key}`, 'Attribute is read-only', '105');
    else report(problems, `(root).${key}`, 'Attribute is unknown', '106');
  }
  return { id: body.id, properties: body.properties, entities: body.entities, problems };
}

const shownKeys = ['id', 'type', 'href', 'metadata'];
