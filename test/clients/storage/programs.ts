// The command lines that users have for S3: from PyPI, from Debian, and built from a Go module.
import { dirname, join } from 'node:path';
import { debian } from '../debian.ts';
import { type Absent, cache, type Found, find, once, pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';

const buildLimitMs = 1_200_000;
const mcModule = 'github.com/minio/mc@v0.0.0-20250313080218-cf909e1063a9';
const minioModule = 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c';

export const rclone = (): Promise<Found | Absent> => debian('CUMULET_RCLONE', 'rclone', 'rclone');
export const awsCli = (): Promise<Found | Absent> => ofPython('awscli', 'aws');
export const s3cmd = (): Promise<Found | Absent> => ofPython('s3cmd', 's3cmd');

async function ofPython(name: 'awscli' | 's3cmd', program: string): Promise<Found | Absent> {
  const python = find('CUMULET_PYTHON', 'python3');
  if (!python.path) return python;
  return { path: join(dirname(await pythonWith(python.path, name)), program) };
}

// It is built from some hundred packages, which takes two cores less than a minute.
export async function minioClient(): Promise<Found | Absent> {
  if (process.env.CUMULET_MC) return find('CUMULET_MC');
  const go = find('CUMULET_GO', 'go');
  if (!go.path) return go;
  return ofModule(go.path, mcModule, 'mc');
}

// The server that measurements compare with, built on their first run.
export async function minio(): Promise<Found | Absent> {
  if (process.env.CUMULET_MINIO) return find('CUMULET_MINIO');
  const go = find('CUMULET_GO', 'go');
  return go.path ? ofModule(go.path, minioModule, 'minio') : go;
}

async function ofModule(go: string, module: string, program: string): Promise<Found> {
  const folder = join(cache, `${module.replaceAll(/[/@]/g, '-')}-${process.arch}`);
  await once(folder, async () => {
    const env = { GOBIN: folder, CGO_ENABLED: '0' };
    await mustRun([go, 'install', '-trimpath', module], { cwd: folder, env, limitMs: buildLimitMs });
  });
  return { path: join(folder, program) };
}
