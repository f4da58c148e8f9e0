// The position in an expression that an error message names.

export interface Place {
  line: string; // its text
  from: number;
  to: number; // end of the marked part
}

// Finds the word or sign at a line and column, which start at 1.
export function placeAt(expression: string, lineNumber: number, column: number): Place | undefined {
  const line = expression.split('\n')[lineNumber - 1];
  if (line === undefined) return undefined;
  const from = Math.min(column - 1, line.length);
  const [token = ''] = /^(?:[\w:]+|\S)?/.exec(line.slice(from)) ?? [];
  return { line, from, to: from + token.length };
}
