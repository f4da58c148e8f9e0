// Formats how far the lab has moved the region's clock.

const units: [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

// Shows the two largest units: `3 days 2 hours`.
export function aheadText(ms: number): string {
  let left = ms;
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? [`${count} ${name}${count === 1 ? '' : 's'}`] : [];
  });
  return parts.slice(0, 2).join(' ') || 'less than a second';
}
