// The tab Resolver of a zone: queries the region's name server and shows the answer.
import { useSignal } from '@preact/signals';
import { CommandLine } from '../components/command-line.tsx';
import { Labelled, Select, TextInput } from '../components/field.tsx';
import { Failure } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge } from '../components/text.tsx';
import type { TabProps } from '../resources/extension.ts';
import { type DnsAnswer, type DnsRecord, digOf, fullName, lookUp, questionTypes, verdictOf } from './lookup.ts';

export function ResolverTab({ item }: TabProps) {
  const zone = String(item.properties.zoneName);
  const name = useSignal('');
  const type = useSignal('A');
  const dnssec = useSignal(false);
  const answer = useSignal<DnsAnswer | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const ask = async (): Promise<void> => {
    failure.value = undefined;
    try {
      const question = { name: fullName(name.value, zone), type: type.value, dnssec: dnssec.value };
      answer.value = await lookUp(question);
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <div class="dn-resolver">
      <form
        class="dn-question"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Labelled title={`Name in ${zone}`} class="field dn-name">
          {(id) => <TextInput id={id} value={name} placeholder="@" maxLength={255} />}
        </Labelled>
        <Select
          title="Type"
          value={type.value}
          options={questionTypes.map((one) => [one, one])}
          onChange={(one) => {
            type.value = one;
          }}
        />
        <label class="dn-check">
          <input
            type="checkbox"
            checked={dnssec.value}
            onChange={({ currentTarget }) => {
              dnssec.value = currentTarget.checked;
            }}
          />
          DNSSEC
        </label>
        <button type="submit">Query</button>
      </form>
      <div aria-live="polite">
        {failure.value !== undefined && <Failure error={failure.value} />}
        {answer.value ? <Answered answer={answer.value} dnssec={dnssec.value} /> : <Hint zone={zone} />}
      </div>
    </div>
  );
}

const Hint = ({ zone }: { zone: string }) => (
  <p class="hint">
    {`Queries the region’s name server, which answers for ${zone} while the zone is enabled. To query another zone, end the name with a dot.`}
  </p>
);

const Answered = ({ answer, dnssec }: { answer: DnsAnswer; dnssec: boolean }) => (
  <>
    <p class="dn-status">
      <Badge look={answer.status === 'NOERROR' && answer.answers.length > 0 ? 'good' : 'waits'} text={answer.status} />
      <span>{verdictOf(answer)}</span>
      <small>{`flags ${answer.flags.join(' ')} · ${answer.bytes} bytes · ${answer.tookMs} ms`}</small>
    </p>
    <Records title="Answer" records={answer.answers} />
    <Records title="Authority" records={answer.authorities} />
    <Records title="Additional" records={answer.additionals} />
    <CommandLine text={digOf(answer, dnssec)} />
  </>
);

function Records({ title, records }: { title: string; records: readonly DnsRecord[] }) {
  if (records.length === 0) return null;
  return (
    <section class="dn-records">
      <h3>{title}</h3>
      <Table
        caption={title}
        rows={records.map((record, at) => ({ ...record, at }))}
        keyOf={({ at }) => String(at)}
        columns={[
          { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
          { title: 'TTL', cell: ({ ttl }) => ttl },
          { title: 'Type', cell: ({ type }) => type },
          { title: 'Data', look: 'code', cell: ({ data }) => <bdi>{data}</bdi> },
        ]}
      />
    </section>
  );
}
