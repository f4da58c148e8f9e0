// The outcome of a seed, for `seed` and `up --seed`.
import type { Seeded } from '../../seeds/apply-seed.ts';
import { placeholderLines } from '../../seeds/placeholders.ts';

export type SeedOutcome = Omit<Seeded, 'keys'>; // secrets

export const outcomeOf = ({ keys: _, ...seeded }: Seeded): SeedOutcome => seeded;

export function seededLines({ created, existing, keysFile, placeholders, omitted }: SeedOutcome): string[] {
  const keys = keysFile === undefined ? '' : ` Keys and generated passwords are in ${keysFile}.`;
  return [
    `Created ${created} ${created === 1 ? 'resource' : 'resources'}; ${existing} already existed.${keys}`,
    ...listed(
      `${placeholders.length} ${placeholders.length === 1 ? 'placeholder' : 'placeholders'}`,
      placeholderLines(placeholders),
    ),
    ...listed('Not in the dump', omitted),
  ];
}

const mostLines = 30;

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > mostLines ? [`  … and ${lines.length - mostLines} more: --json shows all`] : [];
  return [`${title}:`, ...lines.slice(0, mostLines).map((line) => `  ${line}`), ...more];
}
