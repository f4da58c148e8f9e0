// How much longer work takes on this machine than the time of the processor that it needs: others use the machine too.
const sampleMs = 30;
const everyMs = 500;

export function slowness(): number {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const usedMs = (): number => process.cpuUsage(cpu).user / 1000;
  while (usedMs() < sampleMs);
  return Math.max(1, (performance.now() - startedAt) / usedMs());
}

// The worst of it from now on until the answer is asked for.
export function watchSlowness(): () => number {
  let worst = slowness();
  const look = (): number => {
    worst = Math.max(worst, slowness());
    return worst;
  };
  const timer = setInterval(look, everyMs).unref();
  return () => {
    clearInterval(timer);
    return look();
  };
}
