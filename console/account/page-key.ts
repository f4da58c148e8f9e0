// The key by which the region knows this browser at this origin. Browsers send cookies to every port of a host, and
// every port can set them, but they store data for one origin alone. The region finds a session by both, so another
// port can neither use the cookie nor plant another one.
const name = 'page-key';
let unstored: string | undefined;

// Read with each call: another tab may have stored it first.
export function pageKey(): string {
  try {
    const found = localStorage.getItem(name);
    if (found !== null) return found;
    localStorage.setItem(name, newKey());
    return localStorage.getItem(name) ?? newKey();
  } catch {
    unstored ??= newKey(); // the browser stores nothing: the session ends with the page
    return unstored;
  }
}

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
