// The kind of preview: the beginning of texts, and whole images up to a size.

export type PreviewKind = 'text' | 'json' | 'image' | 'none';

export const mostTextBytes = 64 * 1024;
export const mostImageBytes = 16 * 1024 * 1024;

const textTypes =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-sh|x-ndjson|sql)\b|image\/svg)/;
const textNames =
  /\.(?:txt|md|log|csv|tsv|json|ndjson|ya?ml|toml|ini|conf|cfg|env|xml|svg|html?|css|m?[jt]sx?|py|go|rs|java|sh|sql|tf|c|h|cpp)$/i;
const imageTypes = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)/;
const imageNames = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i;
const isPlain = (type: string): boolean => type === '' || /^(?:application|binary)\/octet-stream/.test(type);

export function previewKind(key: string, type: string, size: number): PreviewKind {
  if (size === 0) return 'none';
  const isImage = imageTypes.test(type) || (isPlain(type) && imageNames.test(key));
  if (isImage) return size <= mostImageBytes ? 'image' : 'none';
  const isJson = /\bjson\b/.test(type) || (isPlain(type) && /\.json$/i.test(key));
  if (isJson && size <= mostTextBytes) return 'json';
  return textTypes.test(type) || (isPlain(type) && textNames.test(key)) ? 'text' : 'none';
}

// Indented if it is JSON, otherwise unchanged.
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// Drops an incomplete last character.
export const decodedText = (bytes: ArrayBuffer): string => new TextDecoder().decode(bytes).replace(/\ufffd{1,3}$/, '');
