// Whether dist/ was bundled from the sources as they are now. The npm package has no sources, so there it always is.
const { existsSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

exports.isBundleCurrent = () => {
  if (!existsSync(join(root, 'src'))) return true;
  try {
    const inputs = JSON.parse(readFileSync(join(root, 'dist/inputs.json'), 'utf8'));
    return inputs.every(([path, mtimeMs, size]) => {
      const found = statSync(join(root, path));
      return found.mtimeMs === mtimeMs && found.size === size;
    });
  } catch {
    return false; // no bundle yet, or a source is gone
  }
};
