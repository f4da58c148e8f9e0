// Rows of resources are stored by an integer row number, with a separate index of their keys: a tree by number is flat,
// and rows that are read together are stored together. The number is computed from the key: from the last UUIDv7 in it,
// which carries its time, and a little of what follows that id. So later rows are stored behind earlier ones, a LAN is
// stored beside its datacenter, and a get by key needs no index. Where the number is taken or the key has no such id,
// the row gets a spare number and is found by the index.
import type { Table } from '../engine.ts';

export const numbered: Table = 'resource';

const epochMs = 1_735_689_600_000; // 2025; ids from 2059 on get spare numbers
const counts = 256; // of ids within a millisecond
const slots = 32; // numbers of rows below one id
const least = 2 ** 36; // all below are spare numbers: two hours of 2025

const uuidLength = 36;

export function numberOf(place: string, id: string): number | undefined {
  if (id.length === uuidLength) return from(id, 0, 0);
  const start = uuidIn(place);
  return start < 0 ? undefined : from(place, start, slotOf(place.charCodeAt(start + uuidLength + 1), id));
}

// Where the id of a collection's parent begins in its place; -1 where that is no UUID.
function uuidIn(place: string): number {
  const end = place.lastIndexOf('/');
  const start = place.lastIndexOf('/', end - 1) + 1;
  return end - start === uuidLength ? start : -1;
}

// Consecutive ids, as LANs have, get consecutive slots.
function slotOf(collection: number, id: string): number {
  const { length } = id;
  const units = length > 1 ? id.charCodeAt(length - 2) * 10 + id.charCodeAt(length - 1) : id.charCodeAt(0);
  return 1 + ((collection * 5 + units) % (slots - 1));
}

function from(text: string, at: number, slot: number): number | undefined {
  const ms = hex(text, at, 8) * 0x10000 + hex(text, at + 9, 4);
  const count = ((hex(text, at + 17, 1) & 3) << 6) | (hex(text, at + 19, 2) & 0x3f); // the end of the counter in it
  const number = ((ms - epochMs) * counts + count) * slots + slot;
  return number >= least && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

// A character that is no digit is taken for some digit: the number only has to be the same each time.
function hex(text: string, from: number, length: number): number {
  let value = 0;
  for (let at = from; at < from + length; at++) {
    const code = text.charCodeAt(at);
    value = value * 16 + (((code & 0xf) + (code > 0x39 ? 9 : 0)) % 16);
  }
  return value;
}

export const byNumber = 'WHERE number = ? AND +id = ? AND +place = ? AND +contract = ?'; // +: don't use the index

export const spareNumber = `(SELECT coalesce(max(number), 0) + 1 FROM ${numbered} WHERE number < ${least})`;

// The migration of rows that were stored by their key; `number_of` is the function above.
export const numbering = `ALTER TABLE ${numbered} RENAME TO old_rows;
  CREATE TABLE ${numbered} (
    number INTEGER PRIMARY KEY, contract INTEGER NOT NULL, place TEXT NOT NULL, id TEXT NOT NULL,
    version INTEGER NOT NULL, time INTEGER NOT NULL, rest TEXT NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO ${numbered} SELECT number_of(place, id) AS own, * FROM old_rows WHERE own > 0 ORDER BY own;
  CREATE UNIQUE INDEX ${numbered}_key ON ${numbered} (contract, place, id);
  INSERT INTO ${numbered} SELECT row_number() OVER (), * FROM old_rows AS old WHERE NOT EXISTS (
    SELECT 1 FROM ${numbered} AS new WHERE new.contract = old.contract AND new.place = old.place AND new.id = old.id);
  DROP TABLE old_rows;`;
