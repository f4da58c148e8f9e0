// The command lines that users have for S3: from PyPI, from Debian, and built from a Go module.
import { dirname, join } from 'node:path';
import { isLong } from '../../../src/testing/seed.ts';
import { debian } from '../debian.ts';
import { type Absent, cache, type Found, find, once, pythonWith } from '../install.ts';
import { mustRun } from '../run.ts';

const buildLimitMs = 1_200_000;
const mcModule = 'github.com/minio/mc@v0.0.0-20250813083541-7394ce0dd2a8';

export const rclone = (): Promise<Found | Absent> => debian('CUMULET_RCLONE', 'rclone', 'rclone');
export const awsCli = (): Promise<Found | Absent> => ofPython('awscli', 'aws');
export const s3cmd = (): Promise<Found | Absent> => ofPython('s3cmd', 's3cmd');

async function ofPython(name: 'awscli' | 's3cmd', program: string): Promise<Found | Absent> {
  const python = find('CUMULET_PYTHON', 'python3');
  if (!python.path) return python;
  return { path: join(dirname(await pythonWith(python.path, name)), program) };
}

// It is built from some hundred packages: only in a long run, or where an earlier one left it behind.
export async function minioClient(): Promise<Found | Absent> {
  if (process.env.CUMULET_MC) return find('CUMULET_MC');
  const go = find('CUMULET_GO', 'go');
  if (!go.path) return go;
  if (!isLong) return { skip: 'mc is built in a long run only (CUMULET_LONG=1)' };
  const folder = join(cache, `${mcModule.replaceAll(/[/@]/g, '-')}-${process.arch}`);
  await once(folder, async () => {
    const env = { GOBIN: folder, CGO_ENABLED: '0' };
    await mustRun([go.path, 'install', '-trimpath', mcModule], { cwd: folder, env, limitMs: buildLimitMs });
  });
  return { path: join(folder, 'mc') };
}
