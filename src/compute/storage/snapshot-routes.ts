// Creating a snapshot of a volume, and restoring it.
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { bodyLimits, type Json, parseJson, textOf, type Values } from '../../base/json.ts';
import { maySee } from '../../core/access.ts';
import { changeOf, decide, draftOf } from '../../core/operation/draft.ts';
import { type Draft, pathOf } from '../../core/resource.ts';
import { check, type Properties, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { sentOf } from '../../surface/core-dialect/body.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { changeReply, requestLocation } from '../../surface/core-dialect/reply.ts';
import { bodySchema, formType, propertiesSchema, resourceSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { perform } from '../../surface/perform.ts';
import { datacenter } from '../datacenter.ts';
import type { DiskEngine, DiskHandle } from '../machine/engine.ts';
import { allHotPlugs } from './disk-properties.ts';
import { diskOf } from './disks.ts';
import { fromVolume, snapshot } from './snapshot.ts';
import { volume } from './volume.ts';

const path = '/datacenters/{datacenterId}/volumes/{volumeId}';
const restoring: Properties = { snapshotId: text({ required: true, max: 64 }) };

export function snapshotRoutes(machinery: Machinery, disks: DiskEngine): Route[] {
  const { store, model } = machinery;
  const found = (x: Exchange) => resolve(store, x, [datacenter, volume], 'change');
  return [
    {
      method: 'POST',
      path: `${path}/create-snapshot`,
      operation: 'volume_createSnapshot',
      summary: 'Create a snapshot of a volume',
      privilege: snapshot.rights.create,
      takesBody: true,
      takesBytes: true,
      parameters: [depthParameter],
      bodySchema: bodySchema(model.get('snapshot'), 'create'),
      bodyTypes: { [formType]: propertiesSchema(model.get('snapshot').properties, 'create') },
      replySchema: resourceSchema(model.get('snapshot')),
      replyStatus: 202,
      resolve: found,
      call: (x) => createCall(machinery, disks, x),
    },
    {
      method: 'POST',
      path: `${path}/restore-snapshot`,
      operation: 'volume_restoreSnapshot',
      summary: 'Restore a snapshot to a volume',
      takesBody: true,
      takesBytes: true,
      bodySchema: {
        type: 'object',
        required: ['properties'],
        properties: { properties: propertiesSchema(restoring, 'create') },
      },
      bodyTypes: { [formType]: propertiesSchema(restoring, 'create') },
      replyStatus: 202,
      resolve: found,
      call: (x) => restoreCall(machinery, disks, x),
    },
  ];
}

// Reads JSON or, from older clients, a form whose fields are the properties.
function readSent({ req, bytes }: Exchange): { text: string; body: Json | undefined } {
  const sent = textOf(bytes);
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? ''))
    return { text: sent, body: sent === '' ? undefined : parseJson(sent, bodyLimits) };
  const properties: Values = {};
  const fields = new URLSearchParams(sent);
  if (fields.size > bodyLimits.keys) throw new Fault('refused', `The form has more than ${bodyLimits.keys} fields.`);
  for (const [name, value] of fields) properties[name] = fieldOf(name, value);
  const body = { properties };
  return { text: JSON.stringify(body), body };
}

const fieldOf = (name: string, value: string): Json =>
  snapshot.properties[name]?.type === 'boolean' && /^(true|false)$/i.test(value) ? /^t/i.test(value) : value;

// The snapshot is BUSY together with its volume, because it can't be created without it.
async function createCall(machinery: Machinery, disks: DiskEngine, x: Exchange): Promise<Reply> {
  const { model } = machinery;
  const { text, body } = readSent(x);
  const draft = (): Draft => {
    const [top, row] = x.rows as [Row, Row];
    const { id, properties = {} } = sentOf(body, 'create', x.who); // clients that name nothing send no body
    const input = { resource: model.get('snapshot'), way: 'create' as const, caller: x.who, parents: [] };
    const draft = draftOf(model, { ...input, sent: { id, properties }, at: '(root)' });
    const from = JSON.parse(row.body) as Values;
    const { values } = draft;
    values.name ??= `${from.name ?? 'volume'}-Snapshot`;
    values.location = (JSON.parse(top.body) as Values).location ?? null;
    values.size = from.size ?? null;
    for (const name of fromVolume) values[name] ??= from[name] ?? null;
    for (const name of allHotPlugs) values[name] ??= false;
    return draft;
  };
  const decideCopy = async (draft: Draft): Promise<void> => {
    await decide(model, draft);
    const row = x.rows[1] as Row;
    const disk = diskOf(row);
    if (disk) draft.hidden.disk = await disks.copy(disk);
    const { contract, place, version } = row;
    draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id: row.id }, version });
    draft.lockPath = `${pathOf(row)}/${snapshot.plural}/${draft.id}`;
  };
  return changeReply(machinery, x, await perform(machinery, x, { sentBody: text, draft, decide: decideCopy }));
}

async function restoreCall(machinery: Machinery, disks: DiskEngine, x: Exchange): Promise<Reply> {
  const { store, model } = machinery;
  const { text, body } = readSent(x);
  const draft = async (): Promise<Draft> => {
    const [top, row] = x.rows as [Row, Row];
    const { properties } = sentOf(body, 'create');
    const { values, problems } = check(restoring, properties, 'create', '(root).properties');
    if (problems.length > 0) throw new Fault('refused', 'The request body is not acceptable.', { problems });
    const id = String(values.snapshotId);
    const from = isUuid(id) ? await store.get(row.contract, snapshot.plural, id) : undefined;
    const refuse = (message: string): Fault =>
      new Fault('refused', `[(root).properties.snapshotId] ${message}`, { code: '200' });
    if (!from || from.state === 'DELETING' || !maySee(x.who, from))
      throw refuse(`Snapshot ${id.slice(0, 60)} does not exist`);
    if (from.state !== 'AVAILABLE') throw refuse('The snapshot is not ready. Wait until its request is DONE');
    const copied = JSON.parse(from.body) as Values;
    const { location } = JSON.parse(top.body) as Values;
    if (copied.location !== location)
      throw refuse(`The snapshot is in ${copied.location}, but the volume is in ${location}`);
    const draft = changeOf(model.get('volume'), x.who, [top], row, 'restore');
    if (Number(copied.size) > Number(draft.values.size))
      throw refuse(`The snapshot needs a volume of at least ${copied.size} GB`);
    await restoreDisk(draft, disks, diskOf(row), diskOf(from));
    const { contract, place, version } = from;
    draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
    return draft;
  };
  const decide = (): void => undefined; // drafted during the decision
  await perform(machinery, x, { sentBody: text, draft, decide });
  return { status: 202, headers: requestLocation(x) };
}

async function restoreDisk(
  { hidden, values }: Draft,
  disks: DiskEngine,
  disk: DiskHandle | undefined,
  from: DiskHandle | undefined,
): Promise<void> {
  if (!from) delete hidden.disk;
  else
    hidden.disk = await (disk
      ? disks.restore(disk, from)
      : disks.create({ from: 'disk', disk: from }, Number(values.size)));
}
