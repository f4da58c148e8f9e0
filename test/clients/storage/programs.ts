// The command lines for S3: from PyPI, from Debian, and built from a Go module.
import { dirname, join } from 'node:path';
import { debian } from '../debian.ts';
import { type Absent, type Found, find, goModule, pythonWith } from '../install.ts';

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
export const minioClient = (): Promise<Found | Absent> => goModule('CUMULET_MC', mcModule, 'mc');

// The server that measurements compare with, built on their first run.
export const minio = (): Promise<Found | Absent> => goModule('CUMULET_MINIO', minioModule, 'minio');
