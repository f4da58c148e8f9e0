// The refusal of whoever needs a thing that something is under way on.
import { Fault } from '../../base/fault.ts';
import type { Row } from '../state/engine.ts';

export const nameOf = ({ kind, id }: Pick<Row, 'kind' | 'id'>): string =>
  `The ${kind} ${id.replace(/^0+(?=\d+$)/, '')}`;

const words = 'is BUSY: wait for its request to be DONE';

export const busy = (row: Pick<Row, 'kind' | 'id'>): Fault =>
  new Fault('refused', `${nameOf(row)} ${words}.`, { code: '200' });

// Those who name the property that it stands in say the same words: all of it may be otherwise in a moment.
export const isBusy = (error: unknown): boolean =>
  error instanceof Fault && error.kind === 'refused' && error.message.includes(words);
