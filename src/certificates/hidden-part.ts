// The hidden parts of rows: data next to the properties that no answer shows.
import type { Row } from '../core/state/engine.ts';

// The row with these hidden parts replaced; undefined ones are removed.
export const withHidden = (row: Row, parts: Readonly<Record<string, unknown>>): Row => ({
  ...row,
  hidden: JSON.stringify({ ...(JSON.parse(row.hidden || '{}') as object), ...parts }),
});
