// The XML library, loaded with the first document, so that it does not delay the start.
import { createRequire } from 'node:module';

type Library = typeof import('fast-xml-parser');

let loaded: Library | undefined;

export const library = (): Library => (loaded ??= createRequire(import.meta.url)('fast-xml-parser') as Library);
