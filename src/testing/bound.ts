// Programs that tests start end with the test process, even if that is killed: the kernel then kills them.
//   spawn(...bound(program, args), options)
export const bound = (program: string, args: readonly string[]): [program: string, args: string[]] => [
  '/usr/bin/setpriv',
  ['--pdeathsig', 'KILL', program, ...args],
];
