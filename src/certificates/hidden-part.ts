// What rows keep beside the properties, and nobody is shown.
import type { Row } from '../core/state/engine.ts';

// The row with these of its hidden parts instead; undefined ones are left out.
export const withHidden = (row: Row, parts: Readonly<Record<string, unknown>>): Row => ({
  ...row,
  hidden: JSON.stringify({ ...(JSON.parse(row.hidden || '{}') as object), ...parts }),
});
