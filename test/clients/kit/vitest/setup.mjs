// One region for all test files: their startRegion() finds it.
export default async function setup() {
  const { startRegion } = await import(process.env.CUMULET_KIT);
  const region = await startRegion();
  region.share();
  return () => region.stop();
}
