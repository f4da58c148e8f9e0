// The script of the API pages: the search over the operations, the caller's access, and the details of an operation,
// which are rendered when it is opened. It is one component tree, so that ids are unique.
import { signal } from '@preact/signals';
import { createPortal, render } from 'preact';
import { scope } from './api.ts';
import { ClockNotice } from './clock-notice.tsx';
import { Toasts } from './components/toast.tsx';
import { AccessForm } from './reference/access.tsx';
import { caller, readCaller, type Takes } from './reference/caller.ts';
import { documentAt } from './reference/document.ts';
import { Operation } from './reference/operation.tsx';
import { followSearch, search } from './reference/search.ts';
import { setRegionClock } from './region-clock.ts';
import { regionFacts } from './session.ts';
import { ThemeSwitch } from './theme-switch.tsx';

interface Opened {
  id: string;
  place: HTMLElement; // element in the list
}

const opened = signal<readonly Opened[]>([]);
const access = document.getElementById('access'); // missing on the page that lists the services
const reference = document.getElementById('reference');
const { takes = 'token', hint = '' } = (access?.dataset ?? {}) as { takes?: Takes; hint?: string };
const load = documentAt(reference?.dataset.document ?? '');

const Page = () => (
  <>
    <ClockNotice />
    <ThemeSwitch user={caller.session.value?.user.id} />
    <Toasts />
    {access && takes !== 'nothing' && createPortal(<AccessForm takes={takes} hint={hint} />, access)}
    {opened.value.map(({ id, place }) => createPortal(<Operation key={id} id={id} load={load} takes={takes} />, place))}
  </>
);

// Runs when a click, a key or the address opens an operation. `toggle` does not bubble.
function onToggle({ target }: Event): void {
  if (!(target instanceof HTMLDetailsElement && target.open && target.matches('.operation'))) return;
  history.replaceState(null, '', `#${target.id}`);
  if (opened.value.some(({ id }) => id === target.id)) return;
  const place = document.createElement('div');
  place.className = 'content';
  target.append(place);
  opened.value = [...opened.value, { id: target.id, place }];
}

// Opens the operation that the address names and scrolls to it.
function openNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(named instanceof HTMLDetailsElement)) return;
  if (named.hidden) search('');
  named.open = true;
  named.scrollIntoView();
}

function readClock(): void {
  void regionFacts().then(
    ({ clock }) => setRegionClock(clock),
    () => undefined, // calling an operation reports that the region does not answer
  );
}

function readAll(): void {
  readClock();
  void readCaller();
}

followSearch();
render(<Page />, document.getElementById('corner') as HTMLElement);
reference?.addEventListener('toggle', onToggle, { capture: true });
scope.onSignedOut = () => void readCaller();
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) readAll();
});
addEventListener('hashchange', openNamed);
readAll();
openNamed();
