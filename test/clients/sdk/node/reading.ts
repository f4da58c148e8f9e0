// Read-only resources, and refused calls.
import { waitForRequest } from '@ionos-cloud/sdk-nodejs';
import { all, client, connect, idOf, read, refused, report, tag } from './client.ts';
import { createDatacenter } from './infrastructure.ts';

const { configuration, blocks, contracts, datacenters, lans, locations } = client;
const nobody = '01234567-89ab-7cde-8f01-23456789abcd';

export async function reading(): Promise<void> {
  const one = (regionId: string, locationId: string) =>
    locations.locationsFindByRegionIdAndId({ regionId, locationId });
  const [lists, found, body] = await Promise.all([
    all({
      references: read(locations.locationsGet({ depth: 0 })),
      full: read(locations.locationsGet({ depth: 1 })),
      region: read(locations.locationsFindByRegionId({ regionId: 'us', depth: 1 })),
    }),
    all({ plain: read(one('de', 'txl')), slashed: read(one('de', 'fra/2')), gone: refused(one('de', 'xyz')) }),
    read(contracts.contractsGet({ depth: 0 })),
  ]);
  report('location_list', lists);
  report('location_get', found);
  report('contract_list', { body });
}

export async function errors(): Promise<void> {
  const stranger = connect({ apiKey: 'no.real.token' });
  const mistaken = { properties: { name: '', location: 'xx/yyy' } };
  const huge = { properties: { location: 'de/fra', size: 4000 } };
  const [unauthorized, missing, unacceptable, limit, fixed] = await Promise.all([
    refused(stranger.datacenters.datacentersGet()),
    all({
      unknown: refused(datacenters.datacentersFindById({ datacenterId: nobody })),
      change: refused(datacenters.datacentersPatch({ datacenterId: nobody, datacenter: { name: 'x' } })),
      parent: refused(lans.datacentersLansPost({ datacenterId: nobody, lan: { properties: {} } })),
    }),
    refused(datacenters.datacentersPost({ datacenter: mistaken })),
    refused(blocks.ipblocksPost({ ipblock: huge })),
    createDatacenter(`${tag}-fixed`),
  ]);
  report('error_unauthorized', unauthorized);
  report('error_missing', missing);
  report('error_unacceptable', unacceptable);
  report('error_limit', limit);
  const moved = { properties: { name: 'x', location: 'de/fra' } };
  const put = datacenters.datacentersPut({ datacenterId: idOf(fixed), datacenter: moved });
  report('error_immutable', await refused(put));
}

// The lab makes the next IP block fail and the next datacenter hang.
export async function broken(): Promise<void> {
  const [block, slow] = await Promise.all([
    blocks.ipblocksPost({ ipblock: { properties: { location: 'de/fra', size: 1 } } }),
    datacenters.datacentersPost({ datacenter: { properties: { name: `${tag}-slow`, location: 'de/txl' } } }),
  ]);
  // This SDK's wait treats a failed request like any other answer.
  const ended = await waitForRequest(configuration, String(block.headers.location));
  const { metadata } = ended.data as { metadata: { status: string; message: string } };
  const datacenterId = idOf({ body: slow.data });
  const [gone, seen] = await Promise.all([
    refused(blocks.ipblocksFindById({ ipblockId: idOf({ body: block.data }) })),
    all({
      parent: read(datacenters.datacentersFindById({ datacenterId })),
      create: refused(lans.datacentersLansPost({ datacenterId, lan: { properties: {} } })),
      change: refused(datacenters.datacentersPatch({ datacenterId, datacenter: { name: 'x' } })),
    }),
  ]);
  report('request_failed', { status: block.status, message: `${metadata.status}: ${metadata.message}`, gone });
  report('parent_busy', seen);
}
