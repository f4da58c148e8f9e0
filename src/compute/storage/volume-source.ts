// The source of a volume: a public image, by id or alias, or a snapshot of the contract that
// the caller may see.
import type { Values } from '../../base/json.ts';
import { maySee } from '../../core/access.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { imageAt, imageById } from '../catalogue/catalogue.ts';
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
    Promise.reject(refused(draft, name, `There is no image ${wanted.slice(0, 80)} in ${location}`, '100'))
  );
}

function fromImage(draft: Draft, name: string, wanted: string, location: string): Source | undefined {
  const image = imageAt(location, wanted);
  if (!image) {
    const elsewhere = imageById(wanted);
    if (elsewhere)
      throw refused(draft, name, `[VDC-5-622] The image is in ${elsewhere.location}, the datacenter in ${location}`);
    return undefined;
  }
  if (image.imageType !== 'HDD') throw refused(draft, name, `${image.name} is a CD-ROM: attach it to a server instead`);
  if (given(draft.sealed.userData) && image.cloudInit === 'NONE')
    throw refused(draft, 'userData', `${image.name} has no cloud-init`);
  if (given(draft.sealed.sshKeys) && !isLinux(image.licenceType))
    throw refused(draft, 'sshKeys', `They are for public Linux images, and ${image.name} is none`, '100');
  const flags = Object.fromEntries(takenOver.map((flag) => [flag, image[flag]]));
  const disk = { from: 'image' as const, id: image.id, name: image.name, sizeGb: image.size };
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
  if (row.state !== 'AVAILABLE') throw refused(draft, 'image', 'The snapshot is not ready: wait for its request');
  if (snapshot.location !== location)
    throw refused(draft, 'image', `[VDC-5-622] The snapshot is in ${snapshot.location}, the datacenter in ${location}`);
  for (const name of ['imagePassword', 'sshKeys', 'userData'])
    if (given(draft.sealed[name])) throw refused(draft, name, 'A volume that is made from a snapshot takes none');
  const flags = Object.fromEntries(takenOver.map((flag) => [flag, snapshot[flag] ?? false]));
  const copied = diskOf(row);
  const disk: DiskSource = copied ? { from: 'disk', disk: copied } : { from: 'blank' };
  return { id: row.id, size: Number(snapshot.size), licenceType: String(snapshot.licenceType), flags, disk };
}
