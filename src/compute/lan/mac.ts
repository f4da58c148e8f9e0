// MAC addresses of NICs, and the claims on them.
import type { Json } from '../../base/json.ts';
import type { Report } from '../../core/resource.ts';

export const macForm = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i;

// A set last bit of the first byte marks a multicast address, which no NIC can have.
export function macRules(mac: Json | undefined, report: Report): void {
  if (typeof mac !== 'string' || !macForm.test(mac)) return; // reported by the schema
  const isMany = Number.parseInt(mac.slice(0, 2), 16) % 2 === 1;
  if (isMany || /^[0:]*$/.test(mac)) report('mac', `${mac} can't be the address of a single interface`);
}

// From the time and count in the NIC's id, so that MAC addresses of one moment are adjacent among the claims. In a
// collision with one from hours apart, the NIC gets another id.
export function macOf(nicId: string): string {
  const [, low = '', high = '', count = '', rest = ''] = /^....(....)-(....)-.(...)-(..)/.exec(nicId) ?? [];
  const tail = ((Number.parseInt(count, 16) << 6) | (Number.parseInt(rest, 16) & 0x3f)) & 0xff;
  const bytes = `${low}${high}`.slice(2) + tail.toString(16).padStart(2, '0');
  return `02:01:${bytes.match(/../g)?.join(':')}`;
}

export const macClaim = (mac: string): string => `mac ${mac}`;
