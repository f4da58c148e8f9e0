// The addresses of engines. Separate from open.ts, so that a module that only reads an address does not load the
// engines.

const embedded = 'embedded:';

// Returns the folder of an embedded engine; undefined for a remote one.
export const embeddedFolder = (address: string): string | undefined =>
  address.startsWith(embedded) ? address.slice(embedded.length) : undefined;
