// One region for all test files: their startRegion() finds it.
export default async function setup() {
  const { startRegion } = await import('./kit.mjs');
  const region = await startRegion();
  region.share();
  globalThis.cumulet = region;
}
