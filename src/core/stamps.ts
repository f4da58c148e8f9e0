// The creator and the last editor of a resource, with times. A row has its time and owner in columns, so `meta` only
// adds the creator's e-mail and, after a change, the editor. It is short because every row has one; the text that
// clients see is rendered from it.
import { iso } from '../base/clock.ts';
import type { Values } from '../base/json.ts';
import type { Row } from './state/engine.ts';

export interface Maker {
  email: string;
  user: string;
}

// The elements of a JSON list, without its brackets.
type Kept = [email: string, user: string | 0, time?: number, changer?: string, changerUser?: string];

// `owner` is the row's: usually the creator.
export function madeBy({ email, user }: Maker, owner: string): string {
  return JSON.stringify(user === owner ? [email] : [email, user]).slice(1, -1);
}

export function changedBy(meta: string, { email, user }: Maker, now: number): string {
  const [maker, makerUser = 0] = keptIn(meta);
  return JSON.stringify([maker, makerUser, now, email, user] satisfies Kept).slice(1, -1);
}

type Stamped = Pick<Row, 'meta' | 'time' | 'owner'>;

// As JSON text without its braces.
export const stampsText = (row: Stamped): string => JSON.stringify(stampsOf(row)).slice(1, -1);

export function stampsOf({ meta, time, owner }: Stamped) {
  const [email, user, changed = time, changer = email, changerUser] = keptIn(meta);
  const createdDate = iso(time);
  const createdByUserId = user || owner;
  return {
    createdDate,
    createdBy: email,
    createdByUserId,
    lastModifiedDate: changed === time ? createdDate : iso(changed),
    lastModifiedBy: changer,
    lastModifiedByUserId: changerUser ?? createdByUserId,
  } satisfies Values;
}

const keptIn = (meta: string): Kept => JSON.parse(`[${meta}]`) as Kept;
