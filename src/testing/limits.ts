// Every time limit of tests above 10 s, with its reason. Limits end a test that hangs; they measure nothing.
export const limits = {
  regionStart: 30_000, // the first start on a machine compiles the program while other tests use all cores
  regionStop: 30_000, // the region finishes the operations that run
  run: 3_600_000, // of all tests together, after the clients have been built
  plainRun: 900_000, // what a plain run may take on an idle machine with two cores
  idleProcess: 300_000, // between two tests of a file: a hook that loads a model or installs a client
  file: 1_200_000, // of one file; the 30 kills of the test of outside engines take ten minutes
  test: 600_000, // of one test; some files of a full run take that long
  page: 30_000, // a page of the console or an action on it; the first visit bundles its script, next to other tests
  request: 30_000, // an operation with many steps, next to other tests on all cores
  command: 60_000, // a command that restores or copies 100,000 rows
  takeover: 30_000, // the lease of a killed node ends after 6 s; PostgreSQL or another node may start in the meantime
  slowClient: 90_000, // the region allows a client 20 s for its headers and a minute for its body
  costlyRules: 60_000, // 40 regular expressions of which each one uses the processor for a while
  memoryFreed: 60_000, // Node returns memory to the machine when it has been idle for a while
  outsideClient: 20_000, // a call while a broker or the database of a region is replaced
  brokers: 60_000, // three Java processes start
  client: 120_000, // an outside program with many calls, such as terraform or a journey of a Kafka client
  clientSuite: 300_000, // a whole test suite of another language, or a compiler
  model: 300_000, // a real model writes some tokens per second on two cores
  machine: 90_000, // an image is copied, a system boots and runs cloud-init, next to other tests
  scaling: 240_000, // a range and a cooldown of two minutes each, in real time
  agent: 60_000, // an outside server of a full run, such as Prometheus, starts or flushes
  slowAgent: 180_000, // an agent of a full run that keeps lines for a while before it sends them
  install: 600_000, // npm, pip or apt fetch and unpack packages
  build: 1_800_000, // a Go or C++ program with up to a thousand packages, in a full run
} as const;
