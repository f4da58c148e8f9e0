// The frame of a page for one region: its name, links to the other regions, and links between the views of the page.
// The address that a pipeline returns contains its contract. The page selects that contract if the user belongs to it.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { HeadSlot } from './components/page/page-head.tsx';
import { Waiting } from './components/states.tsx';
import type { PageProps } from './router.ts';
import { chooseContract, type Session } from './session.ts';

export interface View {
  title: string;
  url(region: string): string;
}

export interface RegionPageProps extends PageProps {
  title: string;
  look: string; // the CSS class of the page
  views?: readonly View[];
  url(region: string): string; // of the current view
  children(region: string): ComponentChildren;
}

export function RegionPage({ params, facts, session, title, look, views = [], url, children }: RegionPageProps) {
  const { region = '' } = params;
  const foreign = useMemo(() => takeContract(session), []);
  if (foreign === 'another') return <Waiting what="the contract" />;
  const isKnown = facts.regions.includes(region);
  return (
    <div class={look}>
      <div class="place-bar">
        <h1 tabIndex={-1}>
          {title} {region}
        </h1>
        <nav class="chips" aria-label="Regions">
          {facts.regions.map((one) => (
            <a key={one} href={url(one)} aria-current={one === region ? 'page' : undefined}>
              {one}
            </a>
          ))}
        </nav>
        <HeadSlot />
      </div>
      {!isKnown && <p class="lead">The region {region} does not exist.</p>}
      {typeof foreign === 'number' && (
        <p class="note">
          You do not belong to contract {foreign} of this link. You see contract {session.contract}.
        </p>
      )}
      {isKnown && views.length > 0 && (
        <nav class="views" aria-label={title}>
          {views.map((one) => (
            <a key={one.title} href={one.url(region)} aria-current={one.url === url ? 'page' : undefined}>
              {one.title}
            </a>
          ))}
        </nav>
      )}
      {isKnown && children(region)}
    </div>
  );
}

// Applies the contract of the address once. `another`: the page reloads with that contract. A number: the user does not
// belong to that contract.
function takeContract({ contract, contracts }: Session): 'this' | 'another' | number {
  const query = new URLSearchParams(location.search);
  const wanted = Number(query.get('contract') ?? contract);
  if (query.has('contract')) {
    query.delete('contract');
    const rest = query.toString();
    history.replaceState(history.state, '', `${location.pathname}${rest === '' ? '' : `?${rest}`}`);
  }
  if (wanted === contract) return 'this';
  if (!contracts.includes(wanted)) return wanted;
  chooseContract(wanted);
  location.reload();
  return 'another';
}
