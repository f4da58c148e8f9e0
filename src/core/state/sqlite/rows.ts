// The format of a row in SQLite: key, version and time are columns, and everything that no query filters by is one
// text, since each column costs time on every read and write. The parts are joined by a character that JSON hardly ever
// contains; where a part does contain it, the text is a JSON array of the parts.
import type { Row } from '../engine.ts';
import { damaged } from './faults.ts';

export const behindKey = 'version, time, rest';

export const mark = '\x7f'; // between parts that don't have it
const bracket = '[';

type Parts = Pick<Row, 'kind' | 'state' | 'owner' | 'hidden' | 'meta' | 'body'>;

// Throws if a part is not a text.
export function pack({ kind, state, owner, hidden, meta, body }: Parts): string {
  const parts = [kind, state, owner, hidden, meta, body];
  const isClear = parts.every((part) => !part.includes(mark)) && !kind.startsWith(bracket);
  return isClear ? parts.join(mark) : JSON.stringify(parts.map((part) => part.toWellFormed()));
}

export function unpacked(
  contract: number,
  place: string,
  id: string,
  version: number,
  time: number,
  rest: string,
): Row {
  const parts = joined(rest) ?? listed(rest);
  if (!parts) throw damaged(place, id); // a page of zeros, say
  const { kind, state, owner, hidden, meta, body } = parts;
  return { contract, place, id, kind, state, version, time, owner, meta, body, hidden };
}

export type PackedRow = Parameters<typeof unpacked>;

// Undefined where they are a JSON array, or no parts at all.
function joined(rest: string): Parts | undefined {
  if (rest.startsWith(bracket)) return undefined;
  const one = rest.indexOf(mark);
  const two = rest.indexOf(mark, one + 1);
  const three = rest.indexOf(mark, two + 1);
  const four = rest.indexOf(mark, three + 1);
  const five = rest.indexOf(mark, four + 1);
  if (one < 0 || two < 0 || three < 0 || four < 0 || five < 0) return undefined;
  return {
    kind: rest.slice(0, one),
    state: rest.slice(one + 1, two),
    owner: rest.slice(two + 1, three),
    hidden: rest.slice(three + 1, four),
    meta: rest.slice(four + 1, five),
    body: rest.slice(five + 1),
  };
}

function listed(rest: string): Parts | undefined {
  try {
    const [kind = '', state = '', owner = '', hidden = '', meta = '', body] = JSON.parse(rest) as string[];
    return body === undefined ? undefined : { kind, state, owner, hidden, meta, body };
  } catch {
    return undefined;
  }
}

// The same in SQL, for the migration of rows that had a column for each part.
const parts = ['kind', 'state', 'owner', 'hidden', 'meta', 'body'];
export const packing = `CASE WHEN kind LIKE '[%' OR instr(${parts.join(' || ')}, char(127)) > 0
  THEN json_array(${parts.join(', ')}) ELSE ${parts.join(' || char(127) || ')} END`;
