// The contract suites of machines and disks on Docker, in a full run.

import { after } from 'node:test';
import { diskContract, dockerBench, machineContract } from '../../src/testing/black-box/machines.ts';
import { isFull } from '../../src/testing/seed.ts';
import { dockerEngine } from '../harness/machines/docker-engine.ts';

const engine = isFull ? await dockerEngine() : { skip: 'only in a full run (--full)' };
const open = () => dockerBench(engine.skip === undefined ? engine.socket : '');

diskContract('docker disks', open, { skip: engine.skip });
after(async () => {
  if (engine.skip === undefined) await engine.stop();
});

machineContract('docker machines', open, { skip: engine.skip });
