// MAC addresses of NICs, and the claims on them.

// From the time and count in the NIC's id, so that those of one moment stand together among the claims. Who meets
// another there, hours apart, gets another id.
export function macOf(nicId: string): string {
  const [, low = '', high = '', count = '', rest = ''] = /^....(....)-(....)-.(...)-(..)/.exec(nicId) ?? [];
  const tail = ((Number.parseInt(count, 16) << 6) | (Number.parseInt(rest, 16) & 0x3f)) & 0xff;
  const bytes = `${low}${high}`.slice(2) + tail.toString(16).padStart(2, '0');
  return `02:01:${bytes.match(/../g)?.join(':')}`;
}

export const macClaim = (mac: string): string => `mac ${mac}`;
