// All records of a zone file, validated one by one and together, as lines of text, which a thread can transfer cheaply.
import { Fault } from '../../base/fault.ts';
import { textOf } from '../../base/json.ts';
import { NameCount } from '../records/name-count.ts';
import { maxSetBytes, recordBytes, setTooLarge } from '../records/set-size.ts';
import { maxContentBytes, maxNames } from '../zones/limits.ts';
import { checkedRecordName, checkRecord, orderedRecord, type RecordValues, recordClaim } from '../zones/record.ts';
import { type ParsedRecord, parseZoneFile } from './parse.ts';

export interface FileLines {
  lines: Uint8Array; // `name TAB claim TAB body`, each with a line feed
  records: number;
  names: number; // with the empty ones above them
  contentBytes: number;
}

interface AtName {
  claims: number;
  types: Map<string, number>; // bytes of the set
}

// A record that occurs twice is created once.
export function linesOf(bytes: Uint8Array, zoneName: string, zoneId: string): FileLines {
  const lines = new Map<string, string>(); // by claim
  const names = new Map<string, AtName>();
  const counted = new NameCount();
  let contentBytes = 0;
  for (const parsed of parseZoneFile(textOf(bytes), zoneName)) {
    const wrong = (message: string): Fault => new Fault('refused', `Line ${parsed.line}: ${message}.`);
    const { values, data } = checked(parsed, zoneName);
    const { name, type, content } = values;
    const claim = recordClaim(zoneId, values);
    const isNew = !lines.has(claim);
    lines.set(claim, `${name}\t${claim}\t${JSON.stringify(values)}\n`);
    if (!isNew) continue;
    const at = names.get(name) ?? { claims: 0, types: new Map<string, number>() };
    names.set(name, at);
    at.claims += 1;
    at.types.set(type, (at.types.get(type) ?? 0) + recordBytes(data));
    if (at.types.has('CNAME') && at.claims > 1)
      throw wrong(`a CNAME can't share its name with other records: ${name || '@'}`);
    if ((at.types.get(type) as number) > maxSetBytes) throw wrong(setTooLarge(name, type));
    contentBytes += Buffer.byteLength(content);
    if (contentBytes > maxContentBytes) throw wrong(`the records have more than ${maxContentBytes} bytes of content`);
    counted.add(name);
    if (counted.size > maxNames)
      throw wrong(`the file has more than ${maxNames} names, counting the empty ones above them`);
  }
  const buffers: Buffer[] = [];
  for (const line of lines.values()) buffers.push(Buffer.from(line));
  return { lines: joined(buffers), records: lines.size, names: counted.size, contentBytes };
}

// In separate memory, which can be moved to another thread.
function joined(buffers: readonly Buffer[]): Uint8Array {
  const whole = new Uint8Array(buffers.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of buffers) {
    whole.set(one, at);
    at += one.length;
  }
  return whole;
}

function checked({ line, ...parsed }: ParsedRecord, zoneName: string): { values: RecordValues; data: Buffer } {
  try {
    const values = orderedRecord({ ...parsed, name: checkedRecordName(`${parsed.name}.`, zoneName) });
    return { values, data: checkRecord(values) };
  } catch (error) {
    if (error instanceof Fault) throw new Fault('refused', `Line ${line}: ${error.message}`);
    throw error;
  }
}
