// Passwords of items that have none, such as those of a dump: the API never returns them.
import { randomHex } from '../base/ids.ts';
import type { Values } from '../base/json.ts';
import type { SeedItem } from './seed-plan.ts';

export type Keep = (section: string, name: string, password: string) => void;

const passwordBytes = 12;

// `isPublicImage`: such images need a password or SSH keys, and snapshots must have neither.
export async function addPasswords(
  { section, name }: SeedItem,
  properties: Values,
  entities: Values,
  isPublicImage: (id: string) => Promise<boolean>,
  keep: Keep,
): Promise<void> {
  if (section.resource.name === 'user' && properties.password === undefined) {
    properties.password = `Aa1-${randomHex(passwordBytes)}`;
    keep('users', name, properties.password);
  }
  const attached = ((entities.volumes as Values | undefined)?.items ?? []) as { properties: Values }[];
  const volumes = section.resource.name === 'volume' ? [properties] : attached.map((one) => one.properties);
  for (const volume of volumes) {
    const { image, imageAlias, imagePassword, sshKeys } = volume;
    if (imagePassword !== undefined || sshKeys !== undefined) continue;
    if (typeof imageAlias !== 'string' && !(typeof image === 'string' && (await isPublicImage(image)))) continue;
    volume.imagePassword = randomHex(passwordBytes);
    keep('volumes', String(volume.name ?? name), volume.imagePassword);
  }
}
