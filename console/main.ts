// The console's beginning: who is signed in decides between the sign-in page and the shell with its pages.
import { scope } from './api.ts';
import { byId, element, fill } from './dom.ts';
import { monitoringPages } from './monitoring/pages.ts';
import { overviewPage } from './overview.ts';
import { failure, waiting } from './parts/states.ts';
import { perform, toast } from './parts/toast.ts';
import { followLinks, matchPage, type Page, titleOf } from './router.ts';
import { chooseContract, currentSession, type Facts, regionFacts, type Session, signOut } from './session.ts';
import { homeLink, openShell, type Shell, topBar } from './shell.ts';
import { signInPage } from './sign-in.ts';
import { tokensPage } from './tokens/tokens-page.ts';

const pages: readonly Page[] = [overviewPage, tokensPage, ...monitoringPages];

const lostPage: Page = {
  path: '',
  title: 'Not found',
  show: () =>
    element(
      'div',
      {},
      element('h1', { tabindex: -1 }, 'Not found'),
      element('p', { class: 'lead' }, 'The console has no such page.'),
    ),
};

interface SignedIn {
  session: Session;
  shell: Shell;
}

class Console {
  #facts: Facts;
  #signedIn: SignedIn | undefined;
  #leave = new AbortController();

  constructor(facts: Facts) {
    this.#facts = facts;
    followLinks(() => this.#visit());
    scope.onSignedOut = () => this.#onSignedOut('Your session has ended. Sign in again.');
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.#signedIn) perform(() => this.#lookAgain());
    });
  }

  // Nothing is focused then: whoever has just come begins at the top.
  start(session: Session | undefined): void {
    if (session) this.#open(session, false);
    else this.#showSignIn('');
  }

  // In another tab somebody may have signed out, or in as somebody else.
  async #lookAgain(): Promise<void> {
    const session = await currentSession();
    const before = this.#signedIn?.session;
    if (!session) this.#onSignedOut('You have signed out.');
    else if (before && session.user.id !== before.user.id) this.#open(session);
  }

  #open(session: Session, takesFocus = true): void {
    const shell = openShell({
      session,
      facts: this.#facts,
      onContract: (contract) => perform(() => this.#changeContract(contract)),
      onSignOut: () => perform(() => this.#signOut()),
    });
    this.#signedIn = { session, shell };
    this.#visit(takesFocus);
  }

  async #changeContract(contract: number): Promise<void> {
    chooseContract(contract);
    const session = await currentSession();
    if (!session) return this.#onSignedOut('Your session has ended. Sign in again.');
    this.#open(session);
    byId('top').querySelector('select')?.focus();
    toast(`Contract ${session.contract}`);
  }

  async #signOut(): Promise<void> {
    await signOut();
    this.#onSignedOut('You have signed out.');
  }

  #onSignedOut(notice: string): void {
    if (!this.#signedIn) return;
    this.#signedIn = undefined;
    this.#leave.abort();
    for (const dialog of document.querySelectorAll('dialog')) dialog.close();
    this.#showSignIn(notice);
  }

  #showSignIn(notice: string): void {
    document.title = 'Sign in · Cumulet';
    fill(topBar(), homeLink(this.#facts.version));
    const page = signInPage(notice, (session) => this.#open(session));
    fill(byId('console'), page);
    page.querySelector('input')?.focus();
  }

  #visit(takesFocus = true): void {
    if (!this.#signedIn) return;
    const { session, shell } = this.#signedIn;
    this.#leave.abort();
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    const match = matchPage(pages, location.pathname) ?? { page: lostPage, params: {} };
    document.title = `${titleOf(match)} · Cumulet`;
    shell.mark();
    const put = (view: Node): void => {
      if (signal.aborted) return;
      fill(shell.main, view);
      if (takesFocus) shell.main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    };
    const shown = match.page.show({ params: match.params, session, facts: this.#facts, signal });
    if (shown instanceof Node) {
      put(shown);
      return;
    }
    fill(shell.main, waiting('the page'));
    shown.then(put, (error: unknown) => put(failure('The page could not be shown.', error, () => this.#visit())));
  }
}

async function begin(): Promise<void> {
  const place = byId('console');
  try {
    const [facts, session] = await Promise.all([regionFacts(), currentSession()]);
    new Console(facts).start(session);
  } catch (error) {
    fill(place, element('main', { class: 'sign-in', id: 'main' }, failure('The console can not start.', error, retry)));
  }
}

const retry = (): void => void begin();

await begin();
