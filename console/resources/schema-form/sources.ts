// Where the choices of a field come from, by its name.
import type { Item, ResourceModel } from '../model.ts';
import { filled, missingParams } from '../place.ts';
import type { Choices, Source } from './choices.tsx';
import type { Place } from './form-value.ts';

type Params = Readonly<Record<string, string>>;

const core = '/cloudapi/v6';
const inDatacenter = `${core}/datacenters/{datacenterId}`;

const isCdrom = ({ properties }: Item): boolean => properties.imageType === 'CDROM';
const isDisk = ({ properties }: Item): boolean => properties.imageType === 'HDD';

const byName: Readonly<Record<string, Source>> = {
  location: { path: `${core}/locations` },
  image: { path: `${core}/images`, accepts: isDisk },
  templateUuid: { path: `${core}/templates` },
  datacenterId: { path: `${core}/datacenters` },
  pcc: { path: `${core}/pccs` },
  targetGroup: { path: `${core}/targetgroups` },
  snapshotId: { path: `${core}/snapshots` },
  lan: { path: `${inDatacenter}/lans` },
  listenerLan: { path: `${inDatacenter}/lans` },
  targetLan: { path: `${inDatacenter}/lans` },
  gatewayLan: { path: `${inDatacenter}/lans` },
  'bootVolume.id': { path: `${inDatacenter}/volumes` },
  'bootCdrom.id': { path: `${core}/images`, accepts: isCdrom },
  'datacenter.id': { path: `${core}/datacenters` },
  provider: { path: '/certificate-manager/providers' },
  resourceId: { path: `${core}/um/resources` },
};

// `params`: of the path of what is made or changed.
export function choicesFor(models: readonly ResourceModel[], model: ResourceModel, params: Params): Choices {
  return {
    of(place: Place): Source | undefined {
      const words = place.filter((word) => !/^\d+$/.test(word));
      const usual = words.length <= 2 ? model.words[words.at(-1) ?? ''] : undefined;
      if (usual) return { path: '', values: usual };
      const source = byName[words.slice(-2).join('.')] ?? byName[words.at(-1) ?? ''] ?? ownKind(models, model, words);
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
  const home = models.find(({ name, isReference }) => name === model.name && !isReference);
  return home && { path: home.prefix + home.collection };
}
