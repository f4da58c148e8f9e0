// The metadata of a resource, with the e-mail addresses of users.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { call } from '../api.ts';
import { type Session, shownSession } from '../session.ts';
import { resourceUrl } from '../urls.ts';
import type { Item } from './model.ts';
import { isUnknown, type Person, peopleIn } from './people.ts';
import { Properties } from './value.tsx';

type Emails = ReadonlyMap<string, string>;

const listed = new Map<number, Promise<Emails>>(); // by contract

// Only the owner and administrators may list users.
function emailsOf({ role, user, contract }: Session): Promise<Emails> {
  const own: Emails = new Map([[user.id, user.email]]);
  if (role === 'user') return Promise.resolve(own);
  const known = listed.get(contract) ?? listUsers().catch(() => own);
  listed.set(contract, known);
  return known;
}

async function listUsers(): Promise<Emails> {
  const { items = [] } = await call<{ items?: Item[] }>('GET', '/cloudapi/v6/um/users?depth=1');
  return new Map(items.map(({ id, properties }) => [id, String(properties.email)]));
}

export function Metadata({ values }: { values: Readonly<Record<string, unknown>> }) {
  const emails = useSignal<Emails>(new Map());
  const session = shownSession.value;
  const summary = peopleIn(values, emails.value);
  const asks = isUnknown(summary);
  useLayoutEffect(() => {
    if (asks && session)
      void emailsOf(session).then((found) => {
        emails.value = found;
      });
  }, [asks, session?.contract]);
  const isLinked = session !== undefined && session.role !== 'user';
  const cells = Object.entries(summary.people).map(([name, one]) => [
    name,
    <By key={name} of={one} isLinked={isLinked} />,
  ]);
  return <Properties values={summary.values} cells={Object.fromEntries(cells)} />;
}

const By = ({ of: { id, text }, isLinked }: { of: Person; isLinked: boolean }) =>
  isLinked && id !== undefined ? <a href={resourceUrl('cloudapi', `/um/users/${id}`)}>{text}</a> : text;
