// The place in an expression that a message names, to be marked in its line.

export interface Place {
  line: string; // its text
  from: number;
  to: number; // of what is marked in it
}

// By the numbers of line and column, which begin at 1. The word or the sign that begins there is marked.
export function placeAt(expression: string, lineNumber: number, column: number): Place | undefined {
  const line = expression.split('\n')[lineNumber - 1];
  if (line === undefined) return undefined;
  const from = Math.min(column - 1, line.length);
  const [token = ''] = /^(?:[\w:]+|\S)?/.exec(line.slice(from)) ?? [];
  return { line, from, to: from + token.length };
}
