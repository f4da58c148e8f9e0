// POST /console/rights: which of the calls of a page the session's user may make. Pages disable the others.
import { Fault } from '../base/fault.ts';
import { isObject, type Json } from '../base/json.ts';
import type { CallRefusal } from '../surface/call-refusal.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/http/exchange.ts';
import { type CheckedCall, maxCalls, type RefusedCall } from './checked-call.ts';

export const rightsRoute = (refusal: () => CallRefusal): Route => ({
  method: 'POST',
  path: '/rights',
  operation: 'webconsole_rights',
  summary: 'Which calls the user may make',
  takesBody: true,
  unaudited: true,
  auditOnce: 'hour', // keeps it out of the log of changes
  call: (x) => answer(x, refusal()),
});

async function answer(x: Exchange, refusal: CallRefusal): Promise<Reply> {
  const refused: (RefusedCall | null)[] = [];
  for (const { method, path } of callsIn(x.body)) {
    const fault = await refusal(x, method, path);
    refused.push(fault ? refusedBy(fault) : null);
  }
  return json(200, { refused });
}

const refusedBy = ({ kind, message, detail: { privilege } }: Fault): RefusedCall => ({
  kind,
  message,
  ...(privilege !== undefined && { privilege }),
});

function callsIn(body: Json | undefined): CheckedCall[] {
  const calls = isObject(body) && Array.isArray(body.calls) ? body.calls : [];
  if (calls.length === 0 || calls.length > maxCalls)
    throw new Fault('refused', `[(root).calls] Expected 1 to ${maxCalls} calls.`);
  return calls.map((one) => {
    const { method, path } = isObject(one) ? one : {};
    if (typeof method !== 'string' || typeof path !== 'string' || !path.startsWith('/'))
      throw new Fault('refused', '[(root).calls] Expected a method and a path in each call.');
    return { method, path };
  });
}
