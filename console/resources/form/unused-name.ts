// A name that no other resource has: `web-1-nic`, then `web-1-nic-2`.
export function unusedName(base: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
