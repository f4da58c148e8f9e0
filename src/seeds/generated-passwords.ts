// Passwords and private keys of items that have none, such as those of a dump: the API never returns them.
import { randomHex } from '../base/ids.ts';
import { isObject, type Values } from '../base/json.ts';
import { placeholderCertificate } from './certificate-facts.ts';
import type { SeedItem } from './plan/seed-plan.ts';

export type Keep = (section: string, name: string, password: string) => void;

const passwordBytes = 12;

// A required property that the seed may lack.
export const isGenerated = ({ section: { resource }, original }: SeedItem, property: string): boolean =>
  (resource.name === 'backupunit' && property === 'password') ||
  (resource.name === 'certificate' && property === 'privateKey' && original.placeholder !== undefined);

// `isPublicImage`: such images need a password or SSH keys, and snapshots must have neither.
export async function addSecrets(
  item: SeedItem,
  properties: Values,
  entities: Values,
  isPublicImage: (id: string) => Promise<boolean>,
  keep: Keep,
): Promise<void> {
  const { section, name } = item;
  const { name: kind, plural } = section.resource;
  if ((kind === 'user' || kind === 'backupunit') && properties.password === undefined) {
    properties.password = `Aa1-${randomHex(passwordBytes)}`;
    keep(plural, name, properties.password);
  }
  if (kind === 'certificate' && properties.privateKey === undefined)
    Object.assign(properties, await placeholderCertificate(name, properties.certificate));
  for (const volume of volumesOf(kind, properties, entities)) {
    const { image, imageAlias, imagePassword, sshKeys } = volume;
    if (imagePassword !== undefined || sshKeys !== undefined) continue;
    if (typeof imageAlias !== 'string' && !(typeof image === 'string' && (await isPublicImage(image)))) continue;
    volume.imagePassword = randomHex(passwordBytes);
    keep('volumes', String(volume.name ?? name), volume.imagePassword);
  }
}

// The item itself, those created with it, or those of a group's replicas.
function volumesOf(kind: string, properties: Values, entities: Values): Values[] {
  if (kind === 'volume') return [properties];
  const { replicaConfiguration: replicas } = properties;
  if (kind === 'autoscalinggroup' && isObject(replicas) && Array.isArray(replicas.volumes))
    return replicas.volumes.filter(isObject);
  const attached = ((entities.volumes as Values | undefined)?.items ?? []) as { properties: Values }[];
  return attached.map((one) => one.properties);
}
