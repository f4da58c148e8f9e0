// A text as a LogQL string. It has Go's syntax, which JSON strings follow except for unpaired surrogates.
export const quoted = (text: string): string => JSON.stringify(text.toWellFormed());
