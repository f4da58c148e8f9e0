// CD-ROM images inserted into a server, at most two, each under the id of its image.
import { byUuid, pathOf, resource, step } from '../../core/resource.ts';
import { decimal, flag, list, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { refused } from '../lan/address-claims.ts';
import { allHotPlugs, hotPlugFlags } from '../storage/disk-properties.ts';
import type { ComputeTools } from '../tools.ts';
import { cdromClaim, maxCdroms } from './cdrom-image.ts';
import { server } from './server.ts';

export const cdrom = resource<ComputeTools>({
  name: 'cdrom',
  plural: 'cdroms',
  shown: { title: 'CD-ROM', type: 'image', columns: ['name', 'size', 'licenceType'] },
  parents: [server],
  rights: { create: 'none' },
  verbs: ['list', 'get', 'remove'],
  lifecycle: { composite: false, create: [step('insert')], remove: [step('eject')] },
  actions: 'vdc.cdrom',
  ids: { ...byUuid },
  properties: {
    name: text(),
    description: text(),
    location: text(),
    size: decimal(),
    ...hotPlugFlags(allHotPlugs),
    exposeSerial: flag(),
    requireLegacyBios: flag(),
    licenceType: text(),
    applicationType: text(),
    imageType: text(),
    public: flag(),
    imageAliases: list(text()),
    cloudInit: text(),
  },
  async decide(draft, { store }) {
    if (draft.way !== 'create') return;
    const path = pathOf(draft.parents.at(-1) as Row);
    if (await store.get(draft.contract, draft.place, draft.id))
      throw refused(draft, 'id', 'The image is already inserted');
    if (draft.reservations.claims.length > 0) return; // it is part of a new server, which has assigned its slot
    const scan = { contract: 0, place: path, from: 'cdrom ', to: 'cdrom~', limit: maxCdroms };
    const taken = (await store.range(scan, 'claim')).map(({ id }) => `${path} ${id}`);
    const places = Array.from({ length: maxCdroms }, (_, at) => cdromClaim(path, at + 1));
    const free = places.find((claim) => !taken.includes(claim));
    if (free === undefined) throw refused(draft, 'id', `A server has at most ${maxCdroms} CD-ROMs`);
    draft.reservations.claims.push(free);
  },
});
