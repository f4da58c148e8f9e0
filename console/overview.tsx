// The first page: who is signed in, for which contract, and where to go from here.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Time } from './components/text.tsx';
import type { Page, PageProps } from './router.ts';
import { chartsUrl, docsUrl } from './urls.ts';

const roles = { owner: 'Owner', admin: 'Administrator', user: 'User, with the rights that groups give' };

export const overviewPage: Page = { path: '/', title: 'Overview', view: Overview };

function Overview({ session: { user, role, contract, expiresDate }, facts }: PageProps) {
  return (
    <div class="overview">
      <h1 tabIndex={-1}>Overview</h1>
      <Card title="You">
        <dl>
          <dt>Name</dt>
          <dd>{`${user.firstname} ${user.lastname}`.trim()}</dd>
          <dt>E-mail</dt>
          <dd>{user.email}</dd>
          <dt>Contract</dt>
          <dd>{contract}</dd>
          <dt>Role</dt>
          <dd>{roles[role]}</dd>
          <dt>Signed in until</dt>
          <dd>
            <Time iso={expiresDate} />
          </dd>
        </dl>
      </Card>
      <Card title="Regions">
        <RegionList regions={facts.regions} />
      </Card>
      <Card title="API pages">
        <ul class="services">
          {facts.services.map(({ name, title, description }) => (
            <li key={name}>
              <a href={docsUrl(name)}>{title}</a>
              <span>{description}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

export const RegionList = ({ regions }: { regions: readonly string[] }) => (
  <ul class="chips">
    {regions.map((region) => (
      <li key={region}>
        <a href={chartsUrl(region)}>{region}</a>
      </li>
    ))}
  </ul>
);

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
