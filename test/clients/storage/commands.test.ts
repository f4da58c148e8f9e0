// The command lines for S3, as users type them: create a bucket, put and get, 40 MB in parts, copy, sync a tree of
// 200 files both ways, presign, delete. With --full, 200 MB and 1,000 files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { makeStorageKey, type StorageKey, storageUrl } from '../../harness/objects.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import type { Absent, Found } from '../install.ts';
import { mustRun, workFolder } from '../run.ts';
import { awsCli, minioClient, rclone, s3cmd } from './programs.ts';

interface Place {
  url: string;
  key: StorageKey;
  home: string; // an empty folder
}

interface Tool {
  name: string;
  program: Found | Absent;
  env(place: Place): Record<string, string>;
  make(bucket: string): string[];
  put(file: string, at: string): string[]; // at: BUCKET/KEY
  get(at: string, file: string): string[];
  copy(from: string, to: string): string[];
  upSync(folder: string, at: string): string[];
  downSync(at: string, folder: string): string[];
  presign(at: string): string[]; // the last word of its output is the address
  removeAll(bucket: string): string[][];
}

const keyVariables = ({ key }: Place) => ({
  AWS_ACCESS_KEY_ID: key.accessKeyId,
  AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
});

const tools: Tool[] = [
  {
    name: 'aws',
    program: await awsCli(),
    env: (place) => ({ ...keyVariables(place), AWS_ENDPOINT_URL_S3: place.url, AWS_REGION: 'eu-central-3' }),
    make: (bucket) => ['s3', 'mb', `s3://${bucket}`],
    put: (file, at) => ['s3', 'cp', '--no-progress', file, `s3://${at}`],
    get: (at, file) => ['s3', 'cp', '--no-progress', `s3://${at}`, file],
    copy: (from, to) => ['s3', 'cp', `s3://${from}`, `s3://${to}`],
    upSync: (folder, at) => ['s3', 'sync', '--no-progress', folder, `s3://${at}`],
    downSync: (at, folder) => ['s3', 'sync', '--no-progress', `s3://${at}`, folder],
    presign: (at) => ['s3', 'presign', `s3://${at}`],
    removeAll: (bucket) => [['s3', 'rb', '--force', `s3://${bucket}`]],
  },
  {
    name: 'rclone',
    program: await rclone(),
    env: (place) => ({
      ...keyVariables(place),
      AWS_CA_BUNDLE: '', // rclone refuses to start with one that the machine has set
      RCLONE_CONFIG: join(place.home, 'rclone.conf'),
      RCLONE_CONFIG_HERE_TYPE: 's3',
      RCLONE_CONFIG_HERE_PROVIDER: 'Other',
      RCLONE_CONFIG_HERE_ENV_AUTH: 'true',
      RCLONE_CONFIG_HERE_ENDPOINT: place.url,
      RCLONE_CONFIG_HERE_REGION: 'eu-central-3',
      RCLONE_CONFIG_HERE_UPLOAD_CUTOFF: '20M', // else only what is larger than 200 MB goes in parts
    }),
    make: (bucket) => ['mkdir', `here:${bucket}`],
    put: (file, at) => ['copyto', file, `here:${at}`],
    get: (at, file) => ['copyto', `here:${at}`, file],
    copy: (from, to) => ['copyto', `here:${from}`, `here:${to}`],
    upSync: (folder, at) => ['sync', '--transfers', '16', folder, `here:${at}`],
    downSync: (at, folder) => ['sync', '--transfers', '16', `here:${at}`, folder],
    presign: (at) => ['link', `here:${at}`],
    removeAll: (bucket) => [['purge', `here:${bucket}`]],
  },
  {
    name: 's3cmd',
    program: await s3cmd(),
    env(place) {
      const { host } = new URL(place.url);
      const lines = ['[default]', `access_key = ${place.key.accessKeyId}`, `secret_key = ${place.key.secretAccessKey}`];
      lines.push(`host_base = ${host}`, `host_bucket = ${host}`, 'use_https = False', 'bucket_location = eu-central-3');
      writeFileSync(join(place.home, 's3cfg'), lines.join('\n'));
      return { S3CMD_CONFIG: join(place.home, 's3cfg') };
    },
    make: (bucket) => ['mb', `s3://${bucket}`],
    put: (file, at) => ['--no-progress', 'put', file, `s3://${at}`],
    get: (at, file) => ['--no-progress', 'get', '--force', `s3://${at}`, file],
    copy: (from, to) => ['cp', `s3://${from}`, `s3://${to}`],
    upSync: (folder, at) => ['--no-progress', 'sync', `${folder}/`, `s3://${at}/`],
    downSync: (at, folder) => ['--no-progress', 'sync', `s3://${at}/`, `${folder}/`],
    presign: (at) => ['signurl', `s3://${at}`, '+600'],
    removeAll: (bucket) => [['rb', '--recursive', '--force', `s3://${bucket}`]],
  },
  {
    name: 'mc',
    program: await minioClient(),
    env({ url, key, home }) {
      const { host, protocol } = new URL(url);
      const user = `${encodeURIComponent(key.accessKeyId)}:${encodeURIComponent(key.secretAccessKey)}`;
      return { MC_HOST_here: `${protocol}//${user}@${host}`, MC_CONFIG_DIR: home, MC_REGION: 'eu-central-3' };
    },
    make: (bucket) => ['mb', `here/${bucket}`],
    put: (file, at) => ['cp', '-q', file, `here/${at}`],
    get: (at, file) => ['cp', '-q', `here/${at}`, file],
    copy: (from, to) => ['cp', '-q', `here/${from}`, `here/${to}`],
    upSync: (folder, at) => ['mirror', '-q', folder, `here/${at}`],
    downSync: (at, folder) => ['mirror', '-q', `here/${at}`, folder],
    presign: (at) => ['share', 'download', '--expire', '10m', `here/${at}`],
    removeAll: (bucket) => [['rb', '--force', `here/${bucket}`]],
  },
];

const files = isFull ? 1000 : 200;
const largeBytes = (isFull ? 200 : 40) * 1024 ** 2;

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

describe('command lines for S3', () => {
  let region: Region;
  let key: StorageKey;
  before(async () => {
    region = await startRegion();
    key = await makeStorageKey(region);
  });
  after(() => region.stop());

  for (const tool of tools) {
    it(`[OBJ-01] ${tool.name} does what its users do`, { skip: tool.program.skip ?? false }, async (t) => {
      const home = workFolder(t);
      const place = { url: storageUrl(region), key, home };
      const env = { HOME: home, ...tool.env(place) };
      const run = (args: string[]) =>
        mustRun([tool.program.path ?? '', ...args], { env, cwd: home, limitMs: limits.clientSuite });
      const bucket = `by-${tool.name}`;
      await run(tool.make(bucket));

      const small = join(home, 'small file.txt');
      writeFileSync(small, 'small');
      await run(tool.put(small, `${bucket}/a/small ü+.txt`));
      await run(tool.copy(`${bucket}/a/small ü+.txt`, `${bucket}/copied`));
      await run(tool.get(`${bucket}/copied`, join(home, 'back')));
      assert.equal(readFileSync(join(home, 'back'), 'utf8'), 'small');

      const large = join(home, 'large');
      writeFileSync(large, Buffer.alloc(largeBytes, `large of ${tool.name} `));
      await run(tool.put(large, `${bucket}/large`));
      await run(tool.get(`${bucket}/large`, join(home, 'large-back')));
      assert.equal(await hashOf(join(home, 'large-back')), await hashOf(large));

      const [tree, back] = [join(home, 'tree'), join(home, 'tree-back')];
      for (const folder of [tree, back, ...Array.from({ length: 10 }, (_, i) => join(tree, String(i)))])
        mkdirSync(folder, { recursive: true });
      for (let i = 0; i < files; i++) writeFileSync(join(tree, String(i % 10), `${i}.txt`), `file ${i}`);
      await run(tool.upSync(tree, `${bucket}/tree`));
      await run(tool.downSync(`${bucket}/tree`, back));
      const names = readdirSync(back, { recursive: true, encoding: 'utf8' });
      assert.equal(names.filter((name) => name.endsWith('.txt')).length, files);
      assert.equal(readFileSync(join(back, '7', '177.txt'), 'utf8'), 'file 177');

      const { stdout } = await run(tool.presign(`${bucket}/copied`));
      assert.equal(await (await fetch(stdout.trim().split(/\s/).at(-1) ?? '')).text(), 'small');
      for (const args of tool.removeAll(bucket)) await run(args);
    });
  }
});
