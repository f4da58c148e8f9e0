// The fault for a resource that does not exist, or that the caller must not see. Clients look for "does not exist" and
// for "not found".
import { Fault } from '../base/fault.ts';
import type { Resource } from './resource.ts';

const mostShown = 80;

export const missingResource = ({ name }: Pick<Resource, 'name'>, id: string): Fault =>
  new Fault('missing', `Resource does not exist: the ${name} ${id.slice(0, mostShown)} was not found.`);
