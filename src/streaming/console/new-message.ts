// Reads the body of a message to send.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { Row } from '../../core/state/engine.ts';
import type { NewMessage } from '../engine/inspection.ts';

const mostHeaders = 100;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function newMessage(body: Json | undefined, [{ id }, { body: topic }]: [Row, Row]): NewMessage {
  const { partition = null, key = null, value = null, headers = [] } = isObject(body) ? body : {};
  if (partition !== null && !(Number.isInteger(partition) && (partition as number) >= 0))
    throw new Fault('refused', '[partition] Expected the number of a partition, or null.');
  if (!Array.isArray(headers) || headers.length > mostHeaders)
    throw new Fault('refused', `[headers] Expected at most ${mostHeaders} headers.`);
  return {
    id,
    topic: (JSON.parse(topic) as { name: string }).name,
    partition: partition as number | null,
    key: bytes('key', key),
    value: bytes('value', value),
    headers: headers.map((one) => {
      const { key: name, value: content = null } = isObject(one) ? one : {};
      if (typeof name !== 'string') throw new Fault('refused', '[headers] Expected a key in each header.');
      return { key: name, value: bytes('headers', content) };
    }),
  };
}

function bytes(name: string, content: Json): string | null {
  if (content === null || (typeof content === 'string' && base64.test(content))) return content;
  throw new Fault('refused', `[${name}] Expected base64 or null.`);
}
