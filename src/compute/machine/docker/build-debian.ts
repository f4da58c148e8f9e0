// Builds the root file system of a Debian machine from the distribution's packages, without an image registry.
// mmdebstrap does the work; if it is not installed, its Debian package is unpacked into a folder.
import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Fault } from '../../../base/fault.ts';
import { environment } from '../../../config/environment.ts';
import { debianPackages, finishScript } from './image-scripts.ts';

const run = promisify(execFile);

export interface DebianTree {
  archive: string; // the tar file
  names: string[]; // of the image
}

const usual = { codename: 'bookworm', version: '12' };

export async function buildDebian(folder: string, report: (line: string) => void): Promise<DebianTree> {
  if (process.getuid?.() !== 0)
    throw new Fault('refused', 'Building an image from packages needs root. Run the command with sudo.');
  mkdirSync(folder, { recursive: true });
  const { codename, version } = debianHere();
  const archive = join(folder, `debian-${version}.tar`);
  const program = await mmdebstrap(folder);
  const options = [
    '--variant=minbase',
    '--mode=root',
    '--format=tar',
    `--include=${debianPackages.join(',')}`,
    '--aptopt=Apt::Install-Recommends "false"',
    '--aptopt=Acquire::Languages "none"',
    '--dpkgopt=force-unsafe-io',
    `--customize-hook=cd "$1" && ${finishScript}`,
  ];
  // The build may be interrupted: only a complete image has its name.
  const part = `${archive}.part`;
  await started(program, [...options, codename, part], report);
  if (statSync(part).size === 0)
    throw new Fault('refused', 'mmdebstrap wrote an empty image. Check the package mirror.');
  renameSync(part, archive);
  return { archive, names: ['debian:latest', `debian:${version}`] };
}

function debianHere(): typeof usual {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const value = (name: string): string | undefined => new RegExp(`^${name}="?([^"\n]+)"?$`, 'm').exec(text)?.[1];
  const [codename, version] = [value('VERSION_CODENAME'), value('VERSION_ID')];
  return value('ID') === 'debian' && codename && version ? { codename, version } : usual;
}

async function mmdebstrap(folder: string): Promise<string> {
  const found = environment
    .programFolders()
    .map((one) => join(one, 'mmdebstrap'))
    .find((one) => existsSync(one));
  if (found) return found;
  const unpacked = join(folder, 'usr/bin/mmdebstrap');
  if (existsSync(unpacked)) return unpacked;
  try {
    await run('apt-get', ['-q', 'download', 'mmdebstrap'], { cwd: folder }).catch(() => downloadWithOwnLists(folder));
    for (const file of globSync('mmdebstrap_*.deb', { cwd: folder }))
      await run('dpkg', ['-x', file, '.'], { cwd: folder });
  } catch (error) {
    throw new Fault('refused', 'mmdebstrap is not installed. Install it: apt-get install mmdebstrap', {
      cause: error,
    });
  }
  return unpacked;
}

// The package lists of this machine may be missing: then they are downloaded for this build alone.
async function downloadWithOwnLists(folder: string): Promise<void> {
  const own = ['state', 'cache'].map((name) => join(folder, `apt-${name}`));
  for (const part of ['lists/partial', 'archives/partial'])
    for (const one of own) mkdirSync(join(one, part), { recursive: true });
  const options = ['-q', '-o', `Dir::State=${own[0]}`, '-o', `Dir::Cache=${own[1]}`];
  await run('apt-get', [...options, 'update'], { cwd: folder });
  await run('apt-get', [...options, 'download', 'mmdebstrap'], { cwd: folder });
}

function started(program: string, options: string[], report: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // Its own tools are next to it.
    const path = [dirname(program), ...environment.programFolders()].join(delimiter);
    const env = { ...environment.variables(), PATH: path };
    const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'], env });
    let last = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split(/[\r\n]+/)) {
        if (/^[EI]: /.test(line)) report(line.slice(3));
        if (line.startsWith('E: ')) last = line;
      }
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Fault('refused', `mmdebstrap failed: ${last || `code ${code}`}`));
    });
  });
}
