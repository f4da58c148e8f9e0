// Images without an image model: waves of colour that are derived from the prompt's hash. The file itself says so.
import { createHash } from 'node:crypto';
import { TimeSlice } from '../../../core/threads/time-slice.ts';
import type { ImageEngine, ImageOrder } from '../engine.ts';
import { encodePng } from './png.ts';
import { type Random, randomOf } from './random.ts';

const waves = 4;

export const renderedNote = 'Rendered from a hash of the prompt, without an image model.';

export const tinyImage = (model: string): ImageEngine => ({
  servedBy: `a rendering from the prompt's hash, not ${model}`,
  parallel: 1,
  make: render,
});

async function render({ prompt, width, height, seed }: ImageOrder, signal: AbortSignal): Promise<Uint8Array> {
  const digest = createHash('sha256').update(`${seed}\n${prompt}`).digest();
  const random = randomOf(digest.readInt32LE(0));
  const across = waveTable(width, random);
  const down = waveTable(height, random);
  const slanted = waveTable(width + height, random);
  const rows = new Uint8Array((width + 1) * height);
  const slice = new TimeSlice();
  for (let y = 0; y < height; y++) {
    await slice.pause();
    signal.throwIfAborted();
    const from = y * (width + 1) + 1;
    const level = down[y] as number;
    for (let x = 0; x < width; x++) rows[from + x] = (across[x] as number) + level + (slanted[x + y] as number);
  }
  const texts = { Software: 'Cumulet', Comment: renderedNote };
  return encodePng({ width, height, palette: paletteOf(random), rows, texts });
}

// The sum of a few waves at each place, in steps of a palette.
function waveTable(size: number, random: Random): Float64Array {
  const table = new Float64Array(size);
  for (let wave = 0; wave < waves; wave++) {
    const frequency = ((1 + random() * 5) * 2 * Math.PI) / 1024;
    const phase = random() * 2 * Math.PI;
    const height = (40 * random()) / (wave + 1);
    for (let at = 0; at < size; at++) table[at] = (table[at] as number) + height * Math.sin(at * frequency + phase);
  }
  return table;
}

// A ring of colours: the last one is near the first.
function paletteOf(random: Random): Uint8Array {
  const palette = new Uint8Array(256 * 3);
  for (let channel = 0; channel < 3; channel++) {
    const middle = 90 + random() * 75;
    const range = 40 + random() * 50;
    const phase = random() * 2 * Math.PI;
    for (let at = 0; at < 256; at++)
      palette[at * 3 + channel] = middle + range * Math.sin((at / 256) * 2 * Math.PI + phase);
  }
  return palette;
}
