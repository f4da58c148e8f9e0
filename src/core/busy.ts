// The refusal of whoever needs a thing that something is under way on.
import { Fault } from '../base/fault.ts';
import type { Row } from './state/engine.ts';

export const nameOf = ({ kind, id }: Pick<Row, 'kind' | 'id'>): string =>
  `The ${kind} ${id.replace(/^0+(?=\d+$)/, '')}`;

export const busy = (row: Pick<Row, 'kind' | 'id'>): Fault =>
  new Fault('refused', `${nameOf(row)} is BUSY: wait for its request to be DONE.`, { code: '200' });
