// The id in the Location header of an accepted change; undefined: the region has done it already.
export const requestIdOf = (location: string | null): string | undefined =>
  /\/requests\/([^/?#]+)/.exec(location ?? '')?.[1];
