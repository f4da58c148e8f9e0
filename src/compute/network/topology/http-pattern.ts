// The regular expressions of MATCHES conditions and health checks.
import { BadPattern, compileSearch } from '../../../core/regexp.ts';

export const maxPatternLength = 255;

// Finds the pattern anywhere in a text; undefined if the pattern is invalid or too large.
export function compileHttpPattern(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > maxPatternLength) return undefined;
  try {
    return compileSearch(pattern);
  } catch (error) {
    if (error instanceof BadPattern) return undefined;
    throw error;
  }
}
