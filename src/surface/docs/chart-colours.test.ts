// The colours of chart lines have enough contrast, and colour-blind readers can distinguish them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';

type Colour = readonly number[]; // red, green, blue as amounts of light from 0 to 1

const tokens = readFileSync(new URL('./pages/tokens.css', import.meta.url), 'utf8');

function lightOf(hex: string): Colour {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

const times = (matrix: readonly Colour[], colour: Colour): number[] =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (colour[at] ?? 0), 0));

const contrast = (one: Colour, other: Colour): number => {
  const [dark = 0, bright = 0] = [one, other].map((c) => times([[0.2126, 0.7152, 0.0722]], c)[0] ?? 0).sort();
  return (bright + 0.05) / (dark + 0.05);
};

// Machado, Oliveira and Fernandes (2009), for complete colour blindness of each kind.
const views: Readonly<Record<string, readonly Colour[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

// Oklab, in which equal distances look equally different.
function perceived(colour: Colour): number[] {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour.map((one) => Math.min(1, Math.max(0, one))),
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt),
  );
}

const distance = (one: Colour, other: Colour): number =>
  Math.hypot(...one.map((value, at) => value - (other[at] ?? 0)));

suite('the colours of charts', () => {
  for (const [at, theme] of (['light', 'dark'] as const).entries()) {
    const colourOf = (token: string): Colour =>
      lightOf(new RegExp(`--${token}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens)?.[at + 1] ?? '');
    const lines = Array.from({ length: 10 }, (_, line) => colourOf(`line-${line}`));

    test(`have a contrast of 3 to 1 in the ${theme} theme`, () => {
      for (const ground of ['ground', 'raised'])
        for (const [line, colour] of lines.entries())
          assert.ok(contrast(colour, colourOf(ground)) >= 3, `line ${line} on ${ground}`);
    });

    test(`differ in the ${theme} theme, for colour-blind readers too`, () => {
      for (const [view, matrix] of Object.entries(views)) {
        const seen = lines.map((colour) => perceived(times(matrix, colour)));
        for (const [line, colour] of seen.entries())
          for (const [other, earlier] of seen.slice(0, line).entries())
            assert.ok(distance(colour, earlier) >= 0.09, `lines ${other} and ${line}, ${view}`);
      }
    });
  }
});
