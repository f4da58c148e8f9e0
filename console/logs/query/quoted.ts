// A text as LogQL writes it. Its strings are those of Go, which JSON's are but for half of a surrogate pair.
export const quoted = (text: string): string => JSON.stringify(text.toWellFormed());
