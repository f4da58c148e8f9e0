// MAC addresses of NICs, and the claims on them.
import type { Json } from '../../base/json.ts';
import type { Report } from '../../core/resource.ts';

export const macForm = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

// The last bit of the first byte is set in those of many at once: no NIC has such a one.
export function macRules(mac: Json | undefined, report: Report): void {
  if (typeof mac !== 'string' || !macForm.test(mac)) return; // told by the schema
  const isMany = Number.parseInt(mac.slice(0, 2), 16) % 2 === 1;
  if (isMany || /^[0:]*$/.test(mac)) report('mac', `${mac} can not be the address of a single interface`);
}

// From the time and count in the NIC's id, so that those of one moment stand together among the claims. Who meets
// another there, hours apart, gets another id.
export function macOf(nicId: string): string {
  const [, low = '', high = '', count = '', rest = ''] = /^....(....)-(....)-.(...)-(..)/.exec(nicId) ?? [];
  const tail = ((Number.parseInt(count, 16) << 6) | (Number.parseInt(rest, 16) & 0x3f)) & 0xff;
  const bytes = `${low}${high}`.slice(2) + tail.toString(16).padStart(2, '0');
  return `02:01:${bytes.match(/../g)?.join(':')}`;
}

export const macClaim = (mac: string): string => `mac ${mac}`;
