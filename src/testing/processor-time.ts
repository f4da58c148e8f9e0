// The time of the processor that something takes in this thread. Unlike the time that passes meanwhile, it does not
// depend on what else the machine is busy with.
export function processorMs(work: () => void): number {
  const begin = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
}
