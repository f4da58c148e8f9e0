// The request id in the Location header of an accepted change; undefined: the change is already complete.
export const requestIdOf = (location: string | null): string | undefined =>
  /\/requests\/([^/?#]+)/.exec(location ?? '')?.[1];
