// The image of a CD-ROM: inserted by its own call, or by naming it as the boot device of the server.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { creationOf } from '../../core/operation/draft.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { imageAt, imageById } from '../catalogue/catalogue.ts';
import { refused } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';

export const maxCdroms = 2;
export const cdromClaim = (serverPath: string, place: number): string => `${serverPath} cdrom ${place}`;

export function cdromImage(datacenter: Row, id: string, at: string): Values {
  const { location } = JSON.parse(datacenter.body) as { location: string };
  const image = imageAt(location, id);
  if (!image || image.id !== id) {
    if (imageById(id)) throw new Fault('refused', `[${at}] The image is not in ${location}`, { code: '200' });
    throw missingResource({ name: 'image' }, id);
  }
  if (image.imageType !== 'CDROM')
    throw new Fault('refused', `[${at}] ${image.name} is not a CD-ROM image`, { code: '200' });
  const { id: _, ...values } = { ...image, public: true };
  return values as Values;
}

// Terraform names an image that it has not inserted, and ejects it when the server should boot from another device.
export function insertToBoot(draft: Draft, context: DecisionContext<ComputeTools>, id: string): void {
  if (!imageById(id)) throw refused(draft, 'bootCdrom', `CD-ROM image ${id} does not exist`);
  insertWith(draft, context, id, `${draft.at}.bootCdrom`);
}

// The image is inserted with the server's creation or change. `at`: the property that names it.
export function insertWith(
  draft: Draft,
  context: Pick<DecisionContext<ComputeTools>, 'resource'>,
  id: string,
  at: string,
): void {
  const values = cdromImage(draft.parents[0] as Row, id, at);
  draft.children.push({ ...creationOf(context.resource('cdrom'), draft.caller, [], values, id), at });
}
