// Routes of a server other than CRUD: power actions, volumes and CD-ROMs.
import { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf, creationOf, decide, draftOf } from '../../core/operation/draft.ts';
import { byUuid, type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { readSent } from '../../surface/core-dialect/body.ts';
import { actRoute, memberOf } from '../../surface/core-dialect/entity-routes.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { changeReply, requestLocation } from '../../surface/core-dialect/reply.ts';
import { bodySchema, resourceSchema } from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { perform } from '../../surface/perform.ts';
import { redact } from '../../surface/redact.ts';
import { datacenter } from '../datacenter.ts';
import { isDas, volume, volumePath } from '../storage/volume.ts';
import { attach, attachedTo, detach } from './attachment.ts';
import { holdServer } from './boot-order.ts';
import { cdromImage } from './cdrom-image.ts';
import { server } from './server.ts';
import { creationRoute, referenceProblems } from './server-creation.ts';

const chain = [datacenter, server];
const path = '/datacenters/{datacenterId}/servers/{serverId}';

// The effect of each action, for a confirmation dialog.
const powerSummaries: Readonly<Record<string, string>> = {
  start: 'Boot a server; its NICs lease addresses by DHCP again',
  stop:
    'Switch a server off at once, without a shutdown of its system; addresses leased by DHCP are released, cores and ' +
    'RAM are no longer billed, volumes and reserved addresses still are',
  reboot: 'Switch a server off and on again at once, without a shutdown of its system; unsaved data is lost',
  suspend: 'Halt a Cube and keep its memory, addresses and local disk; billing is unchanged',
  resume: 'Resume a suspended Cube',
  upgrade: 'Give a server the newest virtual hardware',
};

export function serverRoutes(machinery: Machinery): Route[] {
  const { store, model } = machinery;
  return [
    creationRoute(machinery),
    ...Object.entries(powerSummaries).map(([act, summary]) => actRoute(machinery, model.get('server'), act, summary)),
    {
      method: 'POST',
      path: `${path}/volumes`,
      operation: 'server_volumes_attach',
      summary: 'Attach a volume by its ID, or create an attached one',
      takesBody: true,
      parameters: [depthParameter],
      bodySchema: attachSchema,
      replySchema: resourceSchema(model.get('volume')),
      replyStatus: 202,
      resolve: (x) => resolve(store, x, chain, 'create'),
      call: (x) => attachCall(machinery, x),
    },
    {
      method: 'DELETE',
      path: `${path}/volumes/{volumeId}`,
      operation: 'server_volumes_detach',
      summary: 'Detach a volume. It remains in the datacenter',
      replyStatus: 202,
      resolve: (x) => resolve(store, x, chain, 'create'),
      call: (x) => detachCall(machinery, x),
    },
    {
      method: 'POST',
      path: `${path}/cdroms`,
      operation: 'server_cdroms_attach',
      summary: 'Insert a CD-ROM, by the ID of its image',
      takesBody: true,
      parameters: [depthParameter],
      bodySchema: referenceSchema,
      replySchema: resourceSchema(model.get('cdrom')),
      replyStatus: 202,
      resolve: (x) => resolve(store, x, chain, 'create'),
      call: (x) => insertCall(machinery, x),
    },
  ];
}

const idSchema: Json = { type: 'string', format: 'uuid', examples: [byUuid.example] };
export const referenceSchema: Values = {
  type: 'object',
  required: ['id'],
  properties: { id: idSchema },
  additionalProperties: false,
};
const attachSchema: Values = {
  type: 'object',
  examples: [{ properties: { name: 'example', type: 'HDD', size: 10, licenceType: 'LINUX' } }],
  properties: { id: idSchema, ...(bodySchema(volume as never, 'create').properties as Values) },
};

// `{id}` and nothing else.
export function referenceOf(body: Json | undefined): string {
  const problems = referenceProblems(body, '(root)');
  if (problems.length > 0) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return String((body as Values).id);
}

const machineOf = (row: Row) => {
  const { type } = JSON.parse(row.body) as { type: string };
  return { path: pathOf(row), isCube: type === 'CUBE', isNew: false };
};

async function attachCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { model, store } = machinery;
  const resource = model.get('volume');
  const isReference = isObject(x.body) && x.body.id !== undefined;
  const accepted = await perform(machinery, x, {
    sentBody: isReference ? x.text : redact(model, resource, x, 'create'),
    draft: () => (isReference ? existingVolume(machinery, x) : newVolume(machinery, x)),
    decide: async (draft) => {
      if (!isReference) await decide(model, draft);
      const host = x.rows[1] as Row;
      await attach(draft, store, machineOf(host));
      await holdServer(draft, store, host);
      draft.lockPath = `${pathOf(host)}/volumes/${draft.id}`;
    },
  });
  return changeReply(machinery, x, accepted);
}

async function existingVolume({ store, model }: Machinery, x: Exchange): Promise<Draft> {
  const id = referenceOf(x.body);
  const [top, host] = x.rows as [Row, Row];
  const row = isUuid(id) ? await store.at(top.contract, volumePath(pathOf(top), id)) : undefined;
  if (!row || row.state === 'DELETING') throw missingResource({ name: 'volume' }, id);
  if (await store.creating(row.contract, pathOf(row)))
    throw new Fault('missing', `Volume ${id} is not ready. Wait until its request is DONE.`);
  if (row.state !== 'AVAILABLE') throw busy(row);
  const other = attachedTo(row);
  if (other !== undefined) {
    const whose = other === pathOf(host) ? 'this server' : `server ${other.split('/').at(-1)}`;
    throw new Fault('refused', `[(root).id] Volume ${id} is already attached to ${whose}`, { code: '200' });
  }
  return changeOf(model.get('volume'), x.who, [top], row, 'attach');
}

function newVolume({ model }: Machinery, x: Exchange): Draft {
  const [top] = x.rows as [Row, Row];
  const input = { resource: model.get('volume'), way: 'create' as const, caller: x.who, parents: [top] };
  return draftOf(model, { ...input, sent: readSent(x.body, 'create', x.who), at: '(root)' });
}

async function detachCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const entity = server.entities[0] as (typeof server.entities)[number];
  const draft = async (): Promise<Draft> => {
    const row = await memberOf(machinery, x, entity);
    if (row.state !== 'AVAILABLE') throw busy(row);
    if (isDas(row)) throw new Fault('refused', "The DAS volume of a Cube can't be detached.", { code: '200' });
    return changeOf(machinery.model.get('volume'), x.who, x.rows.slice(0, 1), row, 'detach');
  };
  const decide = (draft: Draft): void => {
    const host = x.rows[1] as Row;
    detach(draft, pathOf(host));
    const { contract, place, id, version } = host;
    draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
    draft.lockPath = `${pathOf(host)}/volumes/${draft.id}`;
  };
  await perform(machinery, x, { sentBody: '', draft, decide });
  return { status: 202, headers: requestLocation(x) };
}

async function insertCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { model } = machinery;
  const draft = (): Draft => {
    const id = referenceOf(x.body);
    const values = cdromImage(x.rows[0] as Row, id, '(root).id');
    return creationOf(model.get('cdrom'), x.who, x.rows, values, id);
  };
  return changeReply(machinery, x, await perform(machinery, x, { sentBody: x.text, draft }));
}
