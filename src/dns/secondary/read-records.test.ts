// Records in messages of name servers, valid and malformed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../testing/seed.ts';
import { nameBytes } from '../records/domain-name.ts';
import { typeNumbers } from '../records/types.ts';
import { recordsIn } from './read-records.ts';

const toZone = [0xc0, 12]; // a pointer to the name of the question

function messageOf(...answers: (readonly [name: number[], type: string, data: number[]])[]): Buffer {
  const question = [...nameBytes('Example.com'), 0, 252, 0, 1];
  const records = answers.flatMap(([name, type, data]) => {
    const number = typeNumbers[type] as number;
    return [...name, number >> 8, number & 255, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255, ...data];
  });
  return Buffer.from([0, 0, 0x84, 0, 0, 1, 0, answers.length, 0, 0, 0, 0, ...question, ...records]);
}

test('[TOOLS-05] compressed names are written out, in owners and in data', () => {
  const mail = [4, ...Buffer.from('mail')];
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  const records = [
    ...recordsIn(
      messageOf(
        [toZone, 'SOA', [...mail, ...toZone, ...toZone, ...numbers]],
        [toZone, 'MX', [0, 10, ...mail, ...toZone]],
        [[...mail, ...toZone], 'TXT', [1, 0xc0]],
        [[3, 97, 46, 98, ...toZone], 'A', [192, 0, 2, 1]],
      ),
    ),
  ];
  assert.deepEqual(
    records.map(({ name }) => name),
    ['example.com', 'example.com', 'mail.example.com', 'a\\046b.example.com'],
  );
  const whole = Buffer.concat([nameBytes('mail.Example.com'), nameBytes('Example.com'), Buffer.from(numbers)]);
  assert.deepEqual(records[0]?.data, whole);
  assert.deepEqual(records[1]?.data, Buffer.concat([Buffer.from([0, 10]), nameBytes('mail.Example.com')]));
  assert.deepEqual(records[2]?.data, Buffer.from([1, 0xc0]), 'texts have no names');
});

test('[GEN-05] names that lead to themselves, and mutated messages, end with a RangeError', () => {
  const fine = messageOf([toZone, 'MX', [0, 10, ...toZone]], [toZone, 'NS', toZone]);
  assert.throws(() => [...recordsIn(messageOf([[0xc0, 29], 'A', [1, 2, 3, 4]]))], RangeError);
  assert.throws(() => [...recordsIn(fine.subarray(0, -1))], RangeError);
  const chance = seeded(11);
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(fine);
    for (let change = chance.below(4); change >= 0; change--) bytes[chance.below(bytes.length)] = chance.below(256);
    try {
      for (const { name } of recordsIn(bytes.subarray(0, 12 + chance.below(bytes.length))))
        assert.ok(name.length < 600);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
    }
  }
});
