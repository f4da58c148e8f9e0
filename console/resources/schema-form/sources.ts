// The choices of a field, by its name.
import type { Item, ResourceModel } from '../model.ts';
import { filled, matched, missingParams, nameOf } from '../place.ts';
import { lower } from '../words.ts';
import type { Choice, Choices, Source } from './choice-source.ts';
import type { Json, Place } from './form-value.ts';

type Params = Readonly<Record<string, string>>;

const core = '/cloudapi/v6';
const inDatacenter = `${core}/datacenters/{datacenterId}`;

const isCdrom = ({ properties }: Item): boolean => properties.imageType === 'CDROM';
const isDisk = ({ properties }: Item): boolean => properties.imageType === 'HDD';

const isFree = ({ properties }: Item): boolean => properties.bootServer == null; // not attached to a server

const itemsIn = ({ entities }: Item, name: string): readonly Item[] =>
  (entities?.[name] as { items?: Item[] } | undefined)?.items ?? [];
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const lans: Source = {
  path: `${inDatacenter}/lans`,
  note: ({ properties }) => (properties.public === true ? 'internet access' : 'private'),
};

// Few users know ISO 8601 durations by heart.
const durations: Source = {
  path: '',
  values: [
    { value: 'PT2M', text: '2 minutes' },
    { value: 'PT5M', text: '5 minutes' },
    { value: 'PT10M', text: '10 minutes' },
    { value: 'PT30M', text: '30 minutes' },
    { value: 'PT1H', text: '1 hour' },
  ],
};

// Loaded on demand, as the code of the object storage is large.
const buckets: Source = {
  path: 'buckets',
  async load() {
    const { listBuckets } = await import('../../objects/s3/buckets.ts');
    return (await listBuckets()).map(({ name }) => ({ id: name, properties: { name } }));
  },
  creation: { title: 'New bucket', of: 'bucket' },
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
  lanId: lans,
  'lans.id': lans,
  'bootVolume.id': { path: `${inDatacenter}/volumes` },
  'bootCdrom.id': { path: `${core}/images`, accepts: isCdrom },
  'datacenter.id': { path: `${core}/datacenters` },
  provider: { path: '/certificate-manager/providers' },
  cooldownPeriod: durations,
  'policy.range': durations,
  resourceId: { path: `${core}/um/resources` },
  bucket: buckets,
};

// NICs are attached by id, so the choices show the server and the address.
const nics: Source = {
  path: `${inDatacenter}/servers`,
  depth: 3,
  offers: (server) =>
    itemsIn(server, 'nics').map(({ id, properties: { name, ips } }): Choice => {
      const parts = [server.properties.name, name, textsIn(ips)[0]];
      return { value: id, text: parts.filter(Boolean).join(' · ') || id };
    }),
};

// Reserved addresses that are not in use.
const reserved: Source = {
  path: `${core}/ipblocks`,
  newTitle: 'Reserve an address',
  offers({ properties: { name, location, ips, ipConsumers } }) {
    const used = new Set(((ipConsumers ?? []) as { ip: string }[]).map(({ ip }) => ip));
    const about = [name, location].filter(Boolean).join(', ');
    return textsIn(ips)
      .filter((ip) => !used.has(ip))
      .map((ip): Choice => ({ value: ip, text: `${ip} (${about})` }));
  },
};
const isAddress = (words: readonly string[]): boolean => /^(?:ips|publicIps|publicIp)$/.test(words.at(-1) ?? '');

// A rule can use the addresses of its gateway or balancer. The value is the property with these addresses.
const addressesAbove: Readonly<Record<string, string>> = {
  'natgatewayrule.publicIp': 'publicIps',
  'networkforwardingrule.listenerIp': 'ips',
  'applicationforwardingrule.listenerIp': 'ips',
};

function above({ name, prefix, collection }: ResourceModel, words: readonly string[]): Source | undefined {
  const property = addressesAbove[`${name}.${words.at(-1)}`];
  return property === undefined
    ? undefined
    : {
        path: prefix + collection.slice(0, collection.lastIndexOf('/')),
        offers: ({ properties }) => textsIn(properties[property]).map((value) => ({ value, text: value })),
      };
}

type Values = (place: Place) => Json | undefined;

// `params` are the path parameters of the resource; `valueAt` reads the form.
export function choicesFor(
  models: readonly ResourceModel[],
  model: ResourceModel,
  params: Params,
  valueAt: Values = () => undefined,
): Choices {
  return {
    of(place: Place): Source | undefined {
      const words = place.filter((word) => !/^\d+$/.test(word));
      const usual = model.words[words.slice(words[0] === 'properties' ? 1 : 0).join('.')];
      if (usual) return { path: '', values: usual };
      const special = model.service === 'cloudapi' && isAddress(words) ? reserved : undefined;
      const named = byName[words.slice(-2).join('.')] ?? byName[words.at(-1) ?? ''];
      const source = above(model, words) ?? special ?? named ?? ownKind(models, model, words);
      if (!source) return undefined;
      const known = { ...datacenterIn(valueAt, place), ...params };
      if (missingParams(source.path, known).length > 0) return undefined;
      return withCreation(models, { ...source, path: filled(source.path, known) }, known);
    },
  };
}

// Whether the value of a field is an existing resource.
export const refersTo = (choices: Choices, place: Place): boolean => (choices.of(place)?.path ?? '') !== '';

// Choices from a list to which the API adds resources. `near`: the path parameters of the form.
function withCreation(models: readonly ResourceModel[], source: Source, near: Params): Source {
  for (const model of models) {
    const { prefix, collection, create, isReference } = model;
    if (isReference || create?.method !== 'POST' || create.path !== collection) continue;
    if (!source.path.startsWith(`${prefix}/`)) continue;
    const params = matched(collection, source.path.slice(prefix.length));
    if (!params) continue;
    const title = source.newTitle ?? `New ${lower(model.title)}`;
    return { ...source, creation: { title, of: { models, model, params: { ...near, ...params } } } };
  }
  return source;
}

// The datacenter that the form names, next to the field or for the whole resource.
function datacenterIn(valueAt: Values, place: Place): Params {
  for (let length = place.length - 1; length >= 0; length--) {
    const near = place.slice(0, length);
    const id = valueAt([...near, 'datacenterId']) ?? valueAt([...near, 'datacenter', 'id']);
    if (typeof id === 'string' && id !== '') return { datacenterId: encodeURIComponent(id) };
  }
  return {};
}

// Attaching selects an existing resource by id.
function ownKind(models: readonly ResourceModel[], model: ResourceModel, words: readonly string[]): Source | undefined {
  const last = words.at(-1);
  if (last !== 'id' && last !== 'ids') return undefined;
  if (model.name === 'cdrom') return { path: `${core}/images`, accepts: isCdrom };
  if (!model.isReference) return undefined;
  if (model.name === 'nic') return nics;
  const home = models.find(({ name, isReference }) => name === model.name && !isReference);
  if (!home) return undefined;
  return { path: home.prefix + home.collection, ...(model.name === 'volume' && { accepts: isFree }) };
}
