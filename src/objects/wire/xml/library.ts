// The library that reads and writes XML. It is loaded with the first document, so that a start does not wait for it.
import { createRequire } from 'node:module';

type Library = typeof import('fast-xml-parser');

let loaded: Library | undefined;

export const library = (): Library => (loaded ??= createRequire(import.meta.url)('fast-xml-parser') as Library);
