// The text of a dump: YAML with its notes as comments, or JSON without them.
import { stringify } from 'yaml';
import type { Json } from '../../base/json.ts';

export function dumpText(seed: Record<string, Json>, notes: readonly string[], asJson: boolean): string {
  if (asJson) return `${JSON.stringify(seed, null, 2)}\n`;
  // Every line of a note must be a comment.
  const comments = notes.map((note) => `# ${note.replaceAll(/\s+/g, ' ')}\n`).join('');
  return `${comments}${stringify(seed, { aliasDuplicateObjects: false })}`;
}
