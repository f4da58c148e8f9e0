// Containers that fill disks: they run one script with volumes mounted, and are removed when it ends.
import type { PassThrough } from 'node:stream';
import { PassThrough as Pass } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Fault } from '../../../base/fault.ts';
import type { Values } from '../../../base/json.ts';
import type { DockerApi } from './api.ts';
import { shellCommand } from './boot-script.ts';
import { plain } from './engine-error.ts';
import { demultiplex } from './exec-stream.ts';
import { regionLabel, workLabel, workName } from './names.ts';

export interface Work {
  region: string;
  id: string; // of the disk: two containers never work on one disk
  image: string;
  script: string;
  mounts: Values[];
  input?: string;
}

const mostOutput = 1000;

// Returns the output. Throws a Fault with the error output if the script fails.
export async function runWork(
  api: DockerApi,
  { region, id, image, script, mounts, input = '' }: Work,
): Promise<string> {
  const name = workName(region, id);
  await api.settle('DELETE', `/containers/${name}`, { force: true, v: true });
  const { Id: container } = await api.json<{ Id: string }>('POST', '/containers/create', {
    query: { name },
    body: {
      Image: image,
      User: 'root',
      Entrypoint: shellCommand(script),
      Cmd: [],
      WorkingDir: '/',
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Labels: { [regionLabel]: region, [workLabel]: id },
      HostConfig: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETFCAP', 'MKNOD', 'SYS_CHROOT'],
        LogConfig: { Type: 'none', Config: {} },
        Mounts: mounts,
      },
    },
  });
  try {
    return await attended(api, container, input);
  } finally {
    await api.settle('DELETE', `/containers/${container}`, { force: true, v: true }, [404, 409]);
  }
}

async function attended(api: DockerApi, container: string, input: string): Promise<string> {
  const socket = await api.connect(`/containers/${container}/attach`, {
    query: { stream: 1, stdin: 1, stdout: 1, stderr: 1 },
  });
  const [output, errors]: [PassThrough, PassThrough] = [new Pass(), new Pass()];
  demultiplex(socket, output, errors);
  socket.on('error', (error) => output.destroy(error));
  const all = Promise.all([text(output), text(errors)]);
  all.catch(() => undefined);
  try {
    await api.json('POST', `/containers/${container}/start`);
    socket.end(input);
    const { StatusCode } = await api.json<{ StatusCode: number }>('POST', `/containers/${container}/wait`, {
      limitMs: 3_600_000,
    });
    const [said, problem] = await all;
    if (StatusCode !== 0) throw new Fault('refused', plain(problem.trim().slice(-mostOutput) || `code ${StatusCode}`));
    return said;
  } finally {
    socket.destroy();
  }
}
