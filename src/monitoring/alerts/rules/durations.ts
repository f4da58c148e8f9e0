// Durations in the syntax of Prometheus: 5m, 1h30m, 100ms. Units are in descending order, each at most once.

const units: readonly [name: string, ms: number][] = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

const form = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const mostMs = 100 * 365 * 86_400_000;

// Returns milliseconds; undefined if it is not a duration, or longer than a century.
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const found = form.exec(text);
  if (!found || text === '') return undefined;
  const total = units.reduce((sum, [, ms], at) => sum + Number(found[at + 1] ?? 0) * ms, 0);
  return total <= mostMs ? total : undefined;
}

// Years and weeks are used only for whole multiples, as in Prometheus.
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let left = ms;
  let text = '';
  for (const [name, unit] of units) {
    const count = Math.floor(left / unit);
    if (count === 0 || ((name === 'y' || name === 'w') && left % unit !== 0)) continue;
    text += `${count}${name}`;
    left -= count * unit;
  }
  return text;
}
