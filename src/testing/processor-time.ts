// The processor time of work in this thread. Unlike elapsed time, it does not depend on the load of the machine.
export function processorMs(work: () => void): number {
  const begin = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
}
