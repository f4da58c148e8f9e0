// How much longer work takes on this machine at the moment than the time of the processor that it needs: others use the
// machine too.
export function slowness(): number {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const usedMs = (): number => process.cpuUsage(cpu).user / 1000;
  while (usedMs() < 30);
  return Math.max(1, (performance.now() - startedAt) / usedMs());
}
