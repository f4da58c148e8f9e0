// Entry point of the console: it shows the sign-in page or, with a session, the shell with its pages.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { scope } from './api.ts';
import { askToLeave, closeDialogs, Dialogs } from './components/dialog.tsx';
import { dropAll, pageDrafts, questionOfAll } from './components/drafts.ts';
import { Failure } from './components/states.tsx';
import { perform, Toasts, toast } from './components/toast.tsx';
import { follow, startLive } from './live.ts';
import { Navigation } from './navigation.tsx';
import { pages } from './pages.ts';
import type { Entry } from './palette/entries.ts';
import { openPalette, usePaletteKey } from './palette/palette.tsx';
import { setRegionClock } from './region-clock.ts';
import { followLinks, go, leaving, matchPage, type Page, titleOf, visit, visitAgain } from './router.ts';
import {
  chooseContract,
  currentSession,
  type Facts,
  notice,
  regionFacts,
  type Session,
  shownSession,
  signOut,
} from './session.ts';
import { TopBar, User } from './shell.tsx';
import { SignInPage } from './sign-in.tsx';
import { loadSitemap } from './sitemap.ts';
import { chooseTheme, takeThemeOf } from './theme.ts';
import { takeZoneOf } from './time/time-zone.ts';
import { addTooltips } from './truncated-text.ts';
import { designUrl, overviewUrl } from './urls.ts';

const notFound: Page = {
  path: '',
  title: 'Not found',
  view: () => (
    <div>
      <h1 tabIndex={-1}>Not found</h1>
      <p class="lead">
        This page does not exist. Go to the <a href={overviewUrl()}>overview</a>, or search with Ctrl-K.
      </p>
    </div>
  ),
};

const place = document.getElementById('console') as HTMLElement;

function Console({ facts }: { facts: Facts }) {
  const session = shownSession.value;
  const search = (): void => {
    if (shownSession.value) openPalette(actions);
  };
  usePaletteKey(search);
  return (
    <>
      <TopBar
        version={facts.version}
        region={facts.home}
        user={session?.user.id}
        onSearch={session ? search : undefined}
      >
        {session && <User session={session} onContract={changeContract} onSignOut={signOutHere} />}
      </TopBar>
      {session ? <Shell facts={facts} session={session} /> : <SignIn facts={facts} />}
      <Dialogs />
      <Toasts />
    </>
  );
}

// Entries of the palette that are neither pages nor resources.
const actions: readonly Entry[] = [
  {
    key: 'Create bucket',
    text: 'Create bucket',
    note: 'Action',
    act: () =>
      perform(async () => {
        const { openNewBucket } = await import('./objects/buckets/new-bucket.tsx');
        openNewBucket();
      }),
  },
  { key: 'Design', text: 'Design tokens', note: 'Page', act: () => go(designUrl()) },
  { key: 'Sign out', text: 'Sign out', note: 'Action', act: () => signOutHere() },
  ...(['light', 'dark', 'system'] as const).map((one) => ({
    key: one,
    text: `Theme: ${one}`,
    note: 'Action',
    act: () => chooseTheme(one, shownSession.value?.user.id),
  })),
];

function SignIn({ facts: { ownerFile } }: { facts: Facts }) {
  useLayoutEffect(() => {
    document.title = 'Sign in · Cumulet';
  }, []);
  return <SignInPage ownerFile={ownerFile} onSignedIn={(session) => perform(() => enter(session))} />;
}

function Shell({ facts, session }: { facts: Facts; session: Session }) {
  const main = useRef<HTMLElement>(null);
  const { path, number } = visit.value;
  const match = matchPage(pages, path) ?? { page: notFound, params: {} };
  useLayoutEffect(() => {
    document.title = `${titleOf(match)} · Cumulet`;
    // After the first load the focus stays at the top of the page.
    if (number > 0) main.current?.querySelector('h1')?.focus({ preventScroll: true });
  }, [number]);
  return (
    <div class="frame">
      <Navigation />
      <main class="main" id="main" tabIndex={-1} ref={main}>
        <match.page.view key={number} params={match.params} session={session} facts={facts} />
      </main>
    </div>
  );
}

async function enter(session: Session): Promise<void> {
  await Promise.all([loadSitemap(), follow(session)]);
  shownSession.value = session;
  visitAgain();
}

// Asks first if the page or its dialogs have unsaved changes.
function leaveAll(leave: () => void, stay?: () => void): void {
  const question = questionOfAll();
  const go = (): void => {
    dropAll();
    leave();
  };
  if (question) askToLeave(question, go, stay);
  else go();
}

const signOutHere = (): void => leaveAll(() => perform(leave));

// A pending call of the page may have been refused and set another notice, so the notice is set last.
async function leave(): Promise<void> {
  await signOut();
  onSignedOut('');
  notice.value = 'You have signed out.';
}

function onSignedOut(why: string): void {
  if (!shownSession.value) return;
  closeDialogs();
  void follow(undefined);
  notice.value = why;
  shownSession.value = undefined;
}

const contractChoice = (): HTMLSelectElement | null => place.querySelector('.contract select');

function changeContract(contract: number): void {
  const stay = (): void => {
    const choice = contractChoice();
    if (choice) choice.value = String(shownSession.value?.contract);
  };
  leaveAll(() => perform(() => enterContract(contract)), stay);
}

async function enterContract(contract: number): Promise<void> {
  chooseContract(contract);
  const session = await currentSession();
  if (!session) return onSignedOut('Your session has ended. Sign in again.');
  await enter(session);
  toast(`Contract ${session.contract}`);
  queueMicrotask(() => contractChoice()?.focus());
}

function guardDrafts(): void {
  leaving.mayLeave = () => pageDrafts.question === undefined;
  leaving.ask = (leave) => {
    const { question } = pageDrafts;
    if (!question) return leave();
    askToLeave(question, () => {
      pageDrafts.drop();
      leave();
    });
  };
  addEventListener('beforeunload', (event) => {
    if (shownSession.value && questionOfAll()) event.preventDefault();
  });
}

// The user may have signed out or changed in another tab.
async function checkSession(): Promise<void> {
  const session = await currentSession();
  if (!session) onSignedOut('You have signed out.');
  else if (session.user.id !== shownSession.value?.user.id) await enter(session);
}

// A refused call may have been sent with an old cookie, before the user changed the password or turned on 2FA.
async function checkEnded(): Promise<void> {
  if (!(await currentSession())) onSignedOut('Your session has ended. Sign in again.');
}

async function start(): Promise<void> {
  try {
    const [facts, session] = await Promise.all([regionFacts(), currentSession()]);
    setRegionClock(facts.clock);
    startLive();
    if (session) await Promise.all([loadSitemap(), follow(session)]);
    shownSession.value = session;
    effect(() => {
      const { user } = shownSession.value ?? {};
      if (!user) return;
      takeThemeOf(user.id);
      takeZoneOf(user.id);
    });
    scope.onSignedOut = () => perform(checkEnded);
    followLinks();
    guardDrafts();
    addTooltips();
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && shownSession.value) perform(checkSession);
    });
    place.replaceChildren();
    render(<Console facts={facts} />, place);
  } catch (error) {
    const view = <Failure title="The console cannot start." error={error} retry={() => void start()} />;
    render(
      <main class="sign-in" id="main">
        {view}
      </main>,
      place,
    );
  }
}

void start();
