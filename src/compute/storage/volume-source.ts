// The source of a volume: a public image, by id or alias, or a snapshot of the contract that the caller may see.
import type { Values } from '../../base/json.ts';
import { maySee } from '../../core/access.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { engineNamesOf, imageAt, imageById } from '../catalogue/catalogue.ts';
import { isLinux } from '../catalogue/catalogue-file.ts';
import { refused } from '../lan/address-claims.ts';
import type { DiskSource } from '../machine/engine.ts';
import type { ComputeTools } from '../tools.ts';
import { allHotPlugs } from './disk-properties.ts';
import { diskOf } from './disks.ts';

export interface Source {
  id: string;
  size: number;
  licenceType: string;
  flags: Values;
  disk: DiskSource;
}

const takenOver = [...allHotPlugs, 'requireLegacyBios'] as const;

const given = (value: Values[string] | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

export async function sourceOf(draft: Draft, context: DecisionContext<ComputeTools>): Promise<Source | undefined> {
  const { values, sealed } = draft;
  const wanted = sealed.imageAlias ?? values.image;
  if (typeof wanted !== 'string') return undefined;
  const name = sealed.imageAlias ? 'imageAlias' : 'image';
  const { location } = JSON.parse((draft.parents[0] as Row).body) as { location: string };
  return (
    fromImage(draft, name, wanted, location) ??
    (name === 'image' ? await fromSnapshot(draft, context, wanted, location) : undefined) ??
    Promise.reject(refused(draft, name, `Image ${wanted.slice(0, 80)} does not exist in ${location}`, '100'))
  );
}

function fromImage(draft: Draft, name: string, wanted: string, location: string): Source | undefined {
  const image = imageAt(location, wanted);
  if (!image) {
    const other = imageById(wanted);
    if (other)
      throw refused(draft, name, `[VDC-5-622] The image is in ${other.location}, but the datacenter is in ${location}`);
    return undefined;
  }
  if (image.imageType !== 'HDD') throw refused(draft, name, `${image.name} is a CD-ROM. Attach it to a server instead`);
  if (given(draft.sealed.userData) && image.cloudInit === 'NONE')
    throw refused(draft, 'userData', `${image.name} has no cloud-init`);
  if (given(draft.sealed.sshKeys) && !isLinux(image.licenceType))
    throw refused(draft, 'sshKeys', `SSH keys are for public Linux images, but ${image.name} isn't one`, '100');
  const flags = Object.fromEntries(takenOver.map((flag) => [flag, image[flag]]));
  const names = engineNamesOf(image);
  const disk = { from: 'image' as const, id: image.id, name: image.name, sizeGb: image.size, names };
  return { id: image.id, size: image.size, licenceType: image.licenceType, flags, disk };
}

async function fromSnapshot(
  draft: Draft,
  { store }: DecisionContext<ComputeTools>,
  wanted: string,
  location: string,
): Promise<Source | undefined> {
  const row = await store.get(draft.contract, 'snapshots', wanted);
  if (!row || row.state === 'DELETING' || !maySee(draft.caller, row)) return undefined;
  const snapshot = JSON.parse(row.body) as Values;
  if (row.state !== 'AVAILABLE')
    throw refused(draft, 'image', 'The snapshot is not ready. Wait until its request is DONE');
  if (snapshot.location !== location)
    throw refused(
      draft,
      'image',
      `[VDC-5-622] The snapshot is in ${snapshot.location}, but the datacenter is in ${location}`,
    );
  for (const name of ['imagePassword', 'sshKeys', 'userData'])
    if (given(draft.sealed[name])) throw refused(draft, name, 'Attribute not allowed for a volume from a snapshot');
  const flags = Object.fromEntries(takenOver.map((flag) => [flag, snapshot[flag] ?? false]));
  const copied = diskOf(row);
  const disk: DiskSource = copied ? { from: 'disk', disk: copied } : { from: 'blank' };
  return { id: row.id, size: Number(snapshot.size), licenceType: String(snapshot.licenceType), flags, disk };
}
