// The refusal of a call that needs a resource on which an operation is pending.
import { Fault } from '../../base/fault.ts';
import type { Row } from '../state/engine.ts';

export const nameOf = ({ kind, id }: Pick<Row, 'kind' | 'id'>): string =>
  `The ${kind} ${id.replace(/^0+(?=\d+$)/, '')}`;

const words = 'is BUSY: wait for its request to be DONE';

export const busy = (row: Pick<Row, 'kind' | 'id'>): Fault =>
  new Fault('refused', `${nameOf(row)} ${words}.`, { code: '200' });

// Refusals that name a property say the same words: all of them may succeed in a moment.
export const isBusy = (error: unknown): boolean =>
  error instanceof Fault && error.kind === 'refused' && error.message.includes(words);
