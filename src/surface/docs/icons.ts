// One sprite of all icons in every page, so that icons need no requests. The icons are Octicons (MIT).
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { iconFiles } from './icon-names.ts';

const { resolve } = createRequire(import.meta.url);

let sprite: Promise<string> | undefined;

export const iconSprite = (): Promise<string> => (sprite ??= build());

async function build(): Promise<string> {
  const symbols = await Promise.all(Object.entries(iconFiles).map(([name, file]) => symbolOf(name, file)));
  return `<svg width="0" height="0" hidden aria-hidden="true">${symbols.join('')}</svg>`;
}

async function symbolOf(name: string, file: string): Promise<string> {
  const text = await readFile(resolve(`@primer/octicons/build/svg/${file}-16.svg`), 'utf8');
  const content = /^<svg[^>]*>(.*)<\/svg>\s*$/s.exec(text)?.[1] ?? '';
  return `<symbol id="icon-${name}" viewBox="0 0 16 16">${content}</symbol>`;
}
