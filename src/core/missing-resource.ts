// The fault for a resource that does not exist, or that the caller must not see. Clients search the message for "does
// not exist" and for "not found"; the latter comes before the id, because Terraform breaks long lines.
import { Fault } from '../base/fault.ts';
import type { Resource } from './resource.ts';
import type { Row } from './state/engine.ts';

const mostShown = 80;

export const missingResource = ({ name }: Pick<Resource, 'name'>, id: string): Fault =>
  new Fault('missing', `Resource does not exist. The ${name} was not found: ${id.slice(0, mostShown)}`);

export const missingRow = ({ kind, id }: Row): Fault => missingResource({ name: kind }, id);
