// Searches all stored data for planted secrets, raw and in the encodings that they may have passed through.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Secret {
  says: string; // where it was planted
  text: string;
}

export class Secrets {
  readonly all: Secret[] = [];
  #count = 0;

  // A text that is nowhere else: `Planted-<n>-…`.
  plant(says: string): string {
    const text = `Planted-${++this.#count}-${crypto.randomUUID()}`;
    this.all.push({ says, text });
    return text;
  }

  know(says: string, text: string): string {
    this.all.push({ says, text });
    return text;
  }

  foundIn(bytes: Buffer | string): string[] {
    const hay = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    return this.all.filter(({ text }) => forms(text).some((form) => hay.includes(form))).map(({ says }) => says);
  }
}

// Base64 of a text inside a longer one depends on where it begins: the middle of each of the three is the same.
function forms(text: string): (string | Buffer)[] {
  const bytes = Buffer.from(text);
  const inside = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  const websafe = inside.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'));
  return [text, ...inside, ...websafe, bytes.toString('hex'), Buffer.from(text, 'utf16le'), encodeURIComponent(text)];
}

export function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

// file: secret, for every secret in every file below the folder.
export function leaksBelow(folder: string, secrets: Secrets): string[] {
  return filesBelow(folder).flatMap((file) => secrets.foundIn(bytesOf(file)).map((says) => `${file}: ${says}`));
}

// A region that runs may have removed a file since it was listed.
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  }
}
