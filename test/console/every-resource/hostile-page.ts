// Detects the effects of hostile texts on a page: scripts that ran, injected elements and links, changed prototypes.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Region } from '../../harness/region.ts';
import { assertReadable, picture, signInBy } from '../harness/window.ts';
import { probe } from './hostile-world.ts';

// Hostile scripts call `hostile`. Violations of the Content-Security-Policy are recorded, too.
const watched = `
  globalThis.ran = [];
  globalThis.hostile = (what) => ran.push('ran ' + what);
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    ran.push(['refused', violatedDirective, blockedURI, sample].join(' ')));
`;

// Finds injected elements, and links to other origins.
export const harm = `(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  const injected = '${probe}, body script, iframe, object, embed, base, img[src="x"], [onerror], [onload], [onclick]';
  const found = [...document.querySelectorAll(injected)].map(({ outerHTML }) => outerHTML);
  for (const name of ['href', 'src', 'action', 'formaction', 'xlink:href', 'srcdoc', 'data'])
    for (const one of document.querySelectorAll('body [' + CSS.escape(name) + ']')) {
      const { protocol, origin } = new URL(one.getAttribute(name), location.href);
      const isOurs = origin === location.origin || one.getAttribute('rel')?.includes('noreferrer');
      if (!/^(https?|blob):$/.test(protocol) || !isOurs) found.push(one.outerHTML);
    }
  for (const one of document.querySelectorAll('[style*="hostile"], [style*="url("]')) found.push(one.outerHTML);
  const inherited = [];
  for (const name in {}) inherited.push('polluted ' + name);
  return [...found, ...ran, ...inherited].map((one) => String(one).slice(0, 300));
})()`;

export async function openWatched(page: Page, region: Region, path?: string): Promise<void> {
  page.on('dialog', () => assert.fail('something ran'));
  await page.addInitScript(watched);
  await signInBy(page, region, region.owner, path);
}

export const assertInert = async (page: Page, where: string): Promise<void> =>
  assert.deepEqual(await page.evaluate(harm), [], where);

// Checks that the page is unharmed and nothing overflows.
export async function assertHarmless(page: Page, where: string): Promise<void> {
  await assertInert(page, where);
  await assertReadable(page, where);
  await picture(page, `hostile-${where.replace(/\W+/g, '-').slice(-60)}`);
}
