// Datacenters, LANs, labels, IP blocks and their requests.
import type { IpBlockProperties } from '@ionos-cloud/sdk-nodejs';
import { accepted, all, answered, client, filters, idOf, read, refused, report, tag } from './client.ts';

const { datacenters, lans, labels, blocks, requests } = client;

export function createDatacenter(name: string) {
  const properties = { name, description: 'made by a test', location: 'de/txl' };
  return accepted(datacenters.datacentersPost({ datacenter: { properties } }));
}

const getDatacenter = (datacenterId: string, depth = 0) =>
  read(datacenters.datacentersFindById({ datacenterId, depth }));

async function composite(): Promise<void> {
  const items = ['first', 'second'].map((name) => ({ properties: { name } }));
  const properties = { name: `${tag}-composite`, location: 'de/txl' };
  const datacenter = { properties, entities: { lans: { items } } };
  const created = await accepted(datacenters.datacentersPost({ datacenter }));
  report('datacenter_composite', created, { after: await getDatacenter(idOf(created), 2) });
}

export async function infrastructure(): Promise<void> {
  const [created] = await Promise.all(['a', 'b', 'c'].map((letter) => createDatacenter(`${tag}-${letter}`)));
  if (!created) return;
  const dc = idOf(created);
  await Promise.all([
    all({ after: getDatacenter(dc) }).then((after) => report('datacenter_create', created, after)),
    requestChecks(created.location),
    lanChecks(dc),
    composite(),
  ]);
  await Promise.all([reads(dc), labelChecks(dc)]);
  await changes(dc);
  await remove(dc);
}

async function requestChecks(location: string): Promise<void> {
  const requestId = location.split('/').at(-2) ?? '';
  const wanted = { filterMethod: 'post', filterUrl: 'DATACENTERS', filterRequestStatus: 'DONE' };
  const lists = all({
    plain: read(requests.requestsGet({ depth: 0, limit: 2 })),
    filtered: read(requests.requestsGet({ depth: 2, ...wanted })),
  });
  const one = all({
    body: read(requests.requestsFindById({ requestId, depth: 2 })),
    ended: read(requests.requestsStatusGet({ requestId })),
  });
  report('request_list', await lists);
  report('request_get', { id: requestId }, await one);
}

async function lanChecks(datacenterId: string): Promise<void> {
  // Its models call it `_public`, and would send it so.
  const lanOf = (properties: { name: string; public: boolean }) => ({ properties: properties as { name: string } });
  const create = (name: string, isPublic: boolean) =>
    accepted(lans.datacentersLansPost({ datacenterId, lan: lanOf({ name, public: isPublic }) }));
  const get = (lanId: string) => all({ after: read(lans.datacentersLansFindById({ datacenterId, lanId })) });
  const inside = await create('inside', false);
  const outside = await create('outside', true);
  const lanId = idOf(outside);
  const [first, second, list] = await Promise.all([
    get(idOf(inside)),
    get(lanId),
    all({
      references: read(lans.datacentersLansGet({ datacenterId, depth: 0 })),
      filtered: read(lans.datacentersLansGet({ datacenterId, depth: 1, filters: filters({ name: 'OUT' }) })),
    }),
  ]);
  report('lan_create', inside, first);
  report('lan_public', outside, second);
  report('lan_list', list);
  const patched = await accepted(lans.datacentersLansPatch({ datacenterId, lanId, lan: { name: 'renamed' } }));
  report('lan_patch', patched, await get(lanId));
  const put = await accepted(
    lans.datacentersLansPut({ datacenterId, lanId, lan: lanOf({ name: 'put', public: false }) }),
  );
  report('lan_put', put, await get(lanId));
}

async function reads(dc: string): Promise<void> {
  const ours = filters({ name: tag.toUpperCase() });
  const list = (depth: number, wanted = ours) => read(datacenters.datacentersGet({ depth, filters: wanted }));
  const page = (offset: number) =>
    read(datacenters.datacentersGet({ depth: 1, offset, limit: 2, orderBy: 'name', filters: ours }));
  const [items, lists, pages] = await Promise.all([
    Promise.all([0, 1, 2, 3].map((depth) => getDatacenter(dc, depth))),
    all({ references: list(0), full: list(1), none: list(1, filters({ name: `${tag}-none` })) }),
    all({ first: page(0), second: page(2) }),
  ]);
  report('datacenter_depth', { items });
  report('datacenter_list', lists);
  report('datacenter_page', pages);
}

async function labelChecks(datacenterId: string): Promise<void> {
  const key = 'stage';
  const label = (value: string) => ({ properties: { key, value } });
  report('label_create', await answered(labels.datacentersLabelsPost({ datacenterId, label: label(tag) })));
  const [listed, everywhere] = await Promise.all([
    read(labels.datacentersLabelsGet({ datacenterId, depth: 1 })),
    read(labels.labelsGet({ depth: 1, filters: filters({ value: tag }) })),
  ]);
  report('label_list', { body: listed });
  const labelurn = everywhere.items?.[0]?.id ?? '';
  report('label_all', { dc: datacenterId, everywhere, one: await read(labels.labelsFindByUrn({ labelurn })) });
  const changed = await answered(labels.datacentersLabelsPut({ datacenterId, key, label: label('live') }));
  report('label_put', changed, await all({ after: read(labels.datacentersLabelsFindByKey({ datacenterId, key })) }));
  const { status } = await labels.datacentersLabelsDelete({ datacenterId, key });
  const gone = await refused(labels.datacentersLabelsFindByKey({ datacenterId, key }));
  report('label_delete', { status, gone });
}

async function changes(datacenterId: string): Promise<void> {
  const patch = { description: 'changed' };
  const patched = await accepted(datacenters.datacentersPatch({ datacenterId, datacenter: patch }));
  report('datacenter_patch', patched, { after: await getDatacenter(datacenterId) });
  const properties = { name: `${tag}-a2`, location: 'de/txl', secAuthProtection: true };
  const put = await accepted(datacenters.datacentersPut({ datacenterId, datacenter: { properties } }));
  report('datacenter_put', put, { after: await getDatacenter(datacenterId) });
}

async function remove(datacenterId: string): Promise<void> {
  const lan = (lanId: string) => lans.datacentersLansFindById({ datacenterId, lanId });
  const lanEnded = await accepted(lans.datacentersLansDelete({ datacenterId, lanId: '2' }));
  report('lan_delete', lanEnded, { gone: await refused(lan('2')) });
  const ended = await accepted(datacenters.datacentersDelete({ datacenterId }));
  const gone = refused(datacenters.datacentersFindById({ datacenterId }));
  report('datacenter_delete', ended, await all({ gone, below: refused(lan('1')) }));
}

export async function addresses(): Promise<void> {
  const block = (name: string) => ({ properties: { name, location: 'de/fra', size: 2 } });
  const created = await accepted(blocks.ipblocksPost({ ipblock: block(`${tag}-block`) }));
  const ipblockId = idOf(created);
  const get = () => all({ after: read(blocks.ipblocksFindById({ ipblockId })) });
  const label = { properties: { key: 'use', value: 'web' } };
  const [after, body, labelled] = await Promise.all([
    get(),
    read(blocks.ipblocksGet({ depth: 1, filters: filters({ name: tag, location: 'de/fra' }) })),
    answered(labels.ipblocksLabelsPost({ ipblockId, label })),
  ]);
  report('ipblock_create', created, after);
  report('ipblock_list', { body });
  report('ipblock_label', labelled, { all: await read(labels.ipblocksLabelsGet({ ipblockId, depth: 1 })) });
  const patched = await accepted(
    blocks.ipblocksPatch({ ipblockId, ipblock: { name: `${tag}-patched` } as IpBlockProperties }),
  );
  report('ipblock_patch', patched, await get());
  const put = await accepted(blocks.ipblocksPut({ ipblockId, ipblock: block(`${tag}-put`) }));
  report('ipblock_put', put, await get());
  const ended = await accepted(blocks.ipblocksDelete({ ipblockId }));
  report('ipblock_delete', ended, { gone: await refused(blocks.ipblocksFindById({ ipblockId })) });
}
