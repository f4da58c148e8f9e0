// The user's sessions on the account page: browser, address, start and last use, and a button to end each.
import { Button, RowActions } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import type { Resource } from '../components/fetched.ts';
import { Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Noted, Section, Time } from '../components/text.tsx';
import { toast } from '../components/toast.tsx';
import { distance } from '../times.ts';
import { endOtherSessions, endSession, type SessionEntry } from './account-api.ts';
import { agentName } from './agent-name.ts';

export interface SessionsProps {
  sessions: Resource<{ entries: readonly SessionEntry[]; nowMs: number }>;
}

export function SessionsPart({ sessions }: SessionsProps) {
  const answer = sessions.answer.value;
  const others = answer && 'value' in answer ? answer.value.entries.length - 1 : 0;
  const ended = (text: string): void => {
    toast(text);
    void sessions.reload();
  };
  const endOthers = (): void =>
    confirm({
      title: others === 1 ? 'End the other session?' : `End ${others} other sessions?`,
      text: 'These browsers have to sign in again.',
      action: 'End all others',
      act: endOtherSessions,
      onDone: () => ended('Other sessions ended.'),
    });
  return (
    <Section
      title="Sessions"
      lead="Browsers that are signed in as you. If you don’t recognize one, end it and change your password."
      actions={<Button text="End all others" look="plain" disabled={others < 1} onPress={endOthers} />}
    >
      <Loaded resource={sessions} what="the sessions">
        {({ entries, nowMs }) => <SessionTable entries={entries} nowMs={nowMs} onEnded={ended} />}
      </Loaded>
    </Section>
  );
}

interface TableProps {
  entries: readonly SessionEntry[];
  nowMs: number;
  onEnded(text: string): void;
}

function SessionTable({ entries, nowMs, onEnded }: TableProps) {
  const end = (entry: SessionEntry): void =>
    confirm({
      title: 'End this session?',
      text: `${agentName(entry.agent)} at ${entry.address || 'an unknown address'} has to sign in again.`,
      action: 'End',
      act: () => endSession(entry.id),
      onDone: () => onEnded('Session ended.'),
    });
  return (
    <Table
      caption="Your sessions"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Browser',
          cell: ({ agent, isCurrent }) => (
            <span class="account-agent" title={agent}>
              {agentName(agent)} {isCurrent && <Badge look="here" text="This browser" />}
            </span>
          ),
        },
        { title: 'Address', look: 'code', cell: ({ address }) => address || '–' },
        { title: 'Signed in', cell: (entry) => <Noted note={wayOf(entry)}>{<Time iso={entry.startedDate} />}</Noted> },
        { title: 'Last used', cell: ({ usedDate }) => <Time iso={usedDate} note={distance(usedDate, nowMs)} /> },
        {
          title: 'Actions',
          look: 'buttons',
          cell: (entry) =>
            !entry.isCurrent && (
              <RowActions of={`the session of ${agentName(entry.agent)}`} actions={[['End', () => end(entry)]]} />
            ),
        },
      ]}
    />
  );
}

function wayOf({ by, hasSecondFactor }: SessionEntry): string {
  if (by === 'token') return 'with a token';
  return hasSecondFactor ? 'with password and code' : 'with a password';
}
