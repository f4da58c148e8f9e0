// Every time limit of tests above 10 s, with its reason. Limits end a test that hangs; they measure nothing.
export const limits = {
  freeMemory: 60_000, // requirement: threads that have grown end after some time without work
  regionStart: 30_000, // the first start on a machine compiles the program while other tests use all cores
  regionStop: 30_000, // the region finishes the operations that run
  run: 3_600_000, // of all tests together, with builds of a full run
  test: 600_000, // of one test; some files of a full run take that long
  request: 30_000, // an operation with many steps, next to other tests on all cores
} as const;
