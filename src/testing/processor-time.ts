// The time of the processor that something takes in this thread. Unlike the time that passes meanwhile, it is the same on
// a machine that is busy with others.
export function processorMs(work: () => void): number {
  const begin = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
}
