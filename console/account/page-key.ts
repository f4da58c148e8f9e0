// The page key identifies this browser at this origin. Browsers share cookies between all ports of a host, but keep
// storage per origin. The region checks both, so a page on another port can neither use the session cookie nor set one.
const name = 'page-key';
let unstored: string | undefined;

// Read for each call, because another tab may have stored the key first.
export function pageKey(): string {
  try {
    const found = localStorage.getItem(name);
    if (found !== null) return found;
    localStorage.setItem(name, newKey());
    return localStorage.getItem(name) ?? newKey();
  } catch {
    unstored ??= newKey(); // without browser storage, the session ends with the page
    return unstored;
  }
}

// A page can't set headers of a WebSocket, so the key is the name of a protocol.
export const sessionProtocol = (): string => `x-console.${pageKey()}`;

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
