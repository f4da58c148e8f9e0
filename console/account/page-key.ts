// The key by which the region knows this browser at this origin. Cookies are sent to every port of a host, and every
// port can set them; what is stored belongs to one origin. A session is found by both, so another port can neither use
// its cookie nor plant one of its own.
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
