// Where the choices of a field come from, by its name.
import type { Item, ResourceModel } from '../model.ts';
import { filled, missingParams, nameOf } from '../place.ts';
import type { Choice, Choices, Source } from './choices.tsx';
import type { Place } from './form-value.ts';

type Params = Readonly<Record<string, string>>;

const core = '/cloudapi/v6';
const inDatacenter = `${core}/datacenters/{datacenterId}`;

const isCdrom = ({ properties }: Item): boolean => properties.imageType === 'CDROM';
const isDisk = ({ properties }: Item): boolean => properties.imageType === 'HDD';

const itemsIn = ({ entities }: Item, name: string): readonly Item[] =>
  (entities?.[name] as { items?: Item[] } | undefined)?.items ?? [];
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const lans: Source = {
  path: `${inDatacenter}/lans`,
  note: ({ properties }) => (properties.public === true ? 'internet access' : 'private'),
};

const byName: Readonly<Record<string, Source>> = {
  location: { path: `${core}/locations` },
  image: { path: `${core}/images`, accepts: isDisk },
  imageAlias: {
    path: `${core}/images`,
    accepts: isDisk,
    offers: ({ properties }) => textsIn(properties.imageAliases).map((value) => ({ value, text: value })),
  },
  backupunitId: { path: `${core}/backupunits` },
  defaultSecurityGroupId: { path: `${inDatacenter}/securitygroups` },
  serverCertificates: { path: '/certificate-manager/certificates' },
  channel: { path: '/monitoring/alerting/channels', value: nameOf },
  templateUuid: { path: `${core}/templates` },
  datacenterId: { path: `${core}/datacenters` },
  pcc: { path: `${core}/pccs` },
  targetGroup: { path: `${core}/targetgroups` },
  snapshotId: { path: `${core}/snapshots` },
  lan: lans,
  listenerLan: lans,
  targetLan: lans,
  gatewayLan: lans,
  'bootVolume.id': { path: `${inDatacenter}/volumes` },
  'bootCdrom.id': { path: `${core}/images`, accepts: isCdrom },
  'datacenter.id': { path: `${core}/datacenters` },
  provider: { path: '/certificate-manager/providers' },
  resourceId: { path: `${core}/um/resources` },
};

// NICs are in servers; who attaches one by its id knows the server and the address.
const nics: Source = {
  path: `${inDatacenter}/servers`,
  depth: 3,
  offers: (server) =>
    itemsIn(server, 'nics').map(({ id, properties: { name, ips } }): Choice => {
      const parts = [server.properties.name, name, textsIn(ips)[0]];
      return { value: id, text: parts.filter(Boolean).join(' · ') || id };
    }),
};

// Reserved addresses that nothing uses.
const reserved: Source = {
  path: `${core}/ipblocks`,
  offers({ properties: { name, location, ips, ipConsumers } }) {
    const used = new Set(((ipConsumers ?? []) as { ip: string }[]).map(({ ip }) => ip));
    const about = [name, location].filter(Boolean).join(', ');
    return textsIn(ips)
      .filter((ip) => !used.has(ip))
      .map((ip): Choice => ({ value: ip, text: `${ip} (${about})` }));
  },
};
const isAddress = (words: readonly string[]): boolean => /^(?:ips|publicIps|publicIp)$/.test(words.at(-1) ?? '');

// `params`: of the path of what is made or changed.
export function choicesFor(models: readonly ResourceModel[], model: ResourceModel, params: Params): Choices {
  return {
    of(place: Place): Source | undefined {
      const words = place.filter((word) => !/^\d+$/.test(word));
      const usual = words.length <= 2 ? model.words[words.at(-1) ?? ''] : undefined;
      if (usual) return { path: '', values: usual };
      const special = model.service === 'cloudapi' && isAddress(words) ? reserved : undefined;
      const named = byName[words.slice(-2).join('.')] ?? byName[words.at(-1) ?? ''];
      const source = special ?? named ?? ownKind(models, model, words);
      if (!source || missingParams(source.path, params).length > 0) return undefined;
      return { ...source, path: filled(source.path, params) };
    },
  };
}

// What is attached by its id is one of those that are there.
function ownKind(models: readonly ResourceModel[], model: ResourceModel, words: readonly string[]): Source | undefined {
  const last = words.at(-1);
  if (last !== 'id' && last !== 'ids') return undefined;
  if (model.name === 'cdrom') return { path: `${core}/images`, accepts: isCdrom };
  if (!model.isReference) return undefined;
  if (model.name === 'nic') return nics;
  const home = models.find(({ name, isReference }) => name === model.name && !isReference);
  return home && { path: home.prefix + home.collection };
}
