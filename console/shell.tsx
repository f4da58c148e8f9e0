// The frame of every page: the top bar with user and contract, the navigation, dialogs and messages.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { ClockNotice } from './clock-notice.tsx';
import { Button } from './components/button.tsx';
import { Choice } from './components/field.tsx';
import { visit } from './router.ts';
import type { Session } from './session.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import { docsUrl, monitoringUrl, overviewUrl, tokensUrl } from './urls.ts';

// A part is current on all pages whose address begins with its own.
const parts = [
  { title: 'Overview', url: overviewUrl() },
  { title: 'Tokens', url: tokensUrl() },
  { title: 'Monitoring', url: monitoringUrl() },
];

export interface ShellProps {
  session: Session;
  onContract(contract: number): void;
  onSignOut(): void;
}

export interface TopBarProps {
  version: string;
  user: string | undefined; // the id of who is signed in
  children?: ComponentChildren;
}

export const TopBar = ({ version, user, children }: TopBarProps) => (
  <header class="top">
    <a class="home" href={overviewUrl()}>
      Cumulet <small>{version}</small>
    </a>
    <ClockNotice />
    <div class="corner">
      {children}
      <ThemeSwitch user={user} />
    </div>
  </header>
);

export const User = ({ session, onContract, onSignOut }: ShellProps) => (
  <>
    <Contract session={session} onContract={onContract} />
    <p class="who">
      <span>{session.user.email}</span>
      <Button text="Sign out" look="plain" onPress={onSignOut} />
    </p>
  </>
);

// A user of one contract has nothing to choose.
function Contract({ session: { contract, contracts }, onContract }: Omit<ShellProps, 'onSignOut'>) {
  const id = useId();
  if (contracts.length < 2) return <p class="contract">Contract {contract}</p>;
  return (
    <p class="contract">
      <label for={id}>Contract</label>
      <Choice
        id={id}
        value={String(contract)}
        options={contracts.map((one) => [String(one), String(one)])}
        onChange={(one) => onContract(Number(one))}
      />
    </p>
  );
}

export const Navigation = () => (
  <nav class="side" aria-label="Console">
    {parts.map(({ title, url }) => (
      <a key={url} href={url} aria-current={isWithin(url) ? 'page' : undefined}>
        {title}
      </a>
    ))}
    <a class="beside" href={docsUrl()}>
      API pages
    </a>
  </nav>
);

function isWithin(url: string): boolean {
  const here = visit.value.path.replace(/\/$/, '');
  return here === url || (url !== overviewUrl() && here.startsWith(`${url}/`));
}
