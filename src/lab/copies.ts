// Copies of other contracts, for the owner of the first contract: one call reads a contract of the platform or of
// another region, and a second one creates in the region what was read. Both answer with events, and end if the client
// disconnects.
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { flag, type Properties, text } from '../core/schema.ts';
import { always, propertiesSchema, textSchema } from '../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../surface/http/exchange.ts';
import { eventStream, type ServerSentEvent } from '../surface/http/streams.ts';
import type { ContractCopies, CopyProgress, CopySource } from '../surface/ports.ts';
import { checked } from './body.ts';

const sourceProperties: Properties = {
  from: text({ required: true, max: 2000, example: 'http://127.0.0.1:7070', description: 'The address of the source' }),
  token: text({
    required: true,
    secret: true,
    max: 16_384,
    pattern: /^[\x21-\x7e]+$/,
    says: 'The token has a character that tokens never have',
    description: 'A token of the source. It is only used for this call, and is not stored',
  }),
  accessKey: text({ max: 255, description: 'An S3 access key of the source, for buckets. It is not stored' }),
  secretKey: text({ max: 255, secret: true, description: 'The secret key that belongs to it' }),
  datacenter: text({ max: 255, description: 'Only this datacenter, by its name or ID, and what it refers to' }),
  anonymise: flag({ default: false, description: 'Replaces the names and e-mail addresses of users' }),
};

const applyProperties: Properties = {
  copyId: text({ required: true, max: 64, description: 'The `id` in the event `done` of the reading' }),
  keepIds: flag({ default: false, description: 'The resources keep the IDs and addresses of the source' }),
};

const eventSchema: Json = always({ event: textSchema, data: textSchema });

export function copyRoutes(
  copies: ContractCopies | undefined,
  demandFirstOwner: (x: Exchange) => Promise<void>,
  log: Log,
): Route[] {
  if (!copies) return [];
  const shared = {
    method: 'POST',
    adminOnly: true,
    resolve: demandFirstOwner,
    takesBody: true,
    replySchema: eventSchema,
    replyTypes: ['text/event-stream'],
  };
  return [
    {
      ...shared, // not `notedAfter`: the body has a token
      path: '/copies',
      operation: 'lab_copy_read',
      summary: 'Read a contract of the platform or of another region, to copy it',
      bodySchema: propertiesSchema(sourceProperties, 'create'),
      call: (x) => {
        const { from, token, datacenter, anonymise, ...keys } = checked(sourceProperties, x.body);
        const source = {
          from: String(from),
          token: String(token),
          storageKey: storageKeyIn(keys),
          datacenter: datacenter ? String(datacenter) : undefined,
          isAnonymous: anonymise === true,
        };
        return followed(x, log, (onProgress) => copies.read(source, { signal: x.signal, onProgress }));
      },
    },
    {
      ...shared,
      path: '/copies/apply',
      operation: 'lab_copy_apply',
      summary: 'Create in the region what was read of another contract',
      notedAfter: true,
      bodySchema: propertiesSchema(applyProperties, 'create'),
      call: (x) => {
        const { copyId, keepIds } = checked(applyProperties, x.body);
        const how = { keepsIds: keepIds === true, signal: x.signal };
        return followed(x, log, (onProgress) => copies.apply(String(copyId), { ...how, onProgress }));
      },
    },
  ];
}

function storageKeyIn({ accessKey, secretKey }: { [name: string]: unknown }): CopySource['storageKey'] {
  if (!accessKey && !secretKey) return undefined;
  if (accessKey && secretKey) return { accessKey: String(accessKey), secretKey: String(secretKey) };
  const missing = accessKey ? 'secretKey' : 'accessKey';
  throw new Fault('refused', `[(root).${missing}] An S3 key has two parts. Both or none are needed`);
}

const reportMs = 200;
type Work = (onProgress: (progress: CopyProgress) => void) => Promise<object>;

// Events `progress`, and at the end `done` or `failed`.
const followed = (x: Exchange, log: Log, work: Work): Reply => eventStream(x, eventsOf(x, log, work));

async function* eventsOf({ id, route, signal }: Exchange, log: Log, work: Work): AsyncGenerator<ServerSentEvent> {
  let latest: CopyProgress = { done: 0, known: 0, resources: 0 };
  const ended = work((progress) => {
    latest = progress;
  }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  for (let isFirst = true; ; isFirst = false) {
    const end = await Promise.race([ended, pause(reportMs)]);
    if (!end) yield { event: 'progress', data: JSON.stringify(latest) };
    else if ('value' in end) return yield { event: 'done', data: JSON.stringify(end.value) };
    else if (isFirst)
      throw end.error; // it has the status of the call
    else {
      if (!(end.error instanceof Fault || signal.aborted))
        log.error('bug', { id, operation: route?.operation, error: end.error });
      return yield { event: 'failed', data: JSON.stringify({ messages: messagesOf(end.error, id) }) };
    }
  }
}

const messagesOf = (error: unknown, id: string): { message: string }[] =>
  error instanceof Fault
    ? error.problems.map(({ message }) => ({ message }))
    : [{ message: `An internal error happened. Its id is ${id}.` }];
