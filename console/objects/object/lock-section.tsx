// Retention and legal hold of a version, if the bucket has object lock.
import { Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useResource } from '../../components/resource.ts';
import { Section } from '../../components/text.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { dateText } from '../../times.ts';
import { type Named, type ObjectFacts, setLegalHold, setRetention } from '../s3/objects.ts';
import { s3Document, unless } from '../s3/s3.ts';

export interface LockSectionProps {
  object: Named;
  facts: ObjectFacts;
  reload(): void;
}

export function LockSection({ object, facts, reload }: LockSectionProps) {
  const { bucket } = object;
  const lock = useResource((signal) =>
    unless('ObjectLockConfigurationNotFoundError', s3Document({ bucket }, { 'object-lock': '' }, signal)),
  );
  const answer = lock.answer.value;
  if (!answer || 'error' in answer || !answer.value) return null;
  const { lockMode, lockUntil, legalHold } = facts;
  const hold = (): void =>
    perform(async () => {
      await setLegalHold(object, !legalHold);
      toast(legalHold ? 'Legal hold ended.' : 'Legal hold set.');
      reload();
    });
  return (
    <Section
      title="Lock"
      actions={
        <span class="actions">
          <Button text="Retention" look="plain" onPress={() => openRetention(object, facts, reload)} />
          <Button text={legalHold ? 'End legal hold' : 'Legal hold'} look="plain" onPress={hold} />
        </span>
      }
    >
      <dl class="ob-facts">
        <dt>Retention</dt>
        <dd>
          {lockMode === undefined || !lockUntil ? 'None' : `${lockMode.toLowerCase()}, until ${dateText(lockUntil)}`}
        </dd>
        <dt>Legal hold</dt>
        <dd>{legalHold ? 'On' : 'Off'}</dd>
      </dl>
    </Section>
  );
}

function openRetention(object: Named, { lockMode = '', lockUntil = '' }: ObjectFacts, onDone: () => void): void {
  let isDone = false;
  openDialog((close) => (
    <Dialog title="Retention" close={close} onClosed={() => isDone && onDone()}>
      <Form
        schema={{
          properties: {
            mode: {
              type: 'string',
              title: 'Mode',
              default: lockMode,
              oneOf: [
                { const: '', title: 'None' },
                { const: 'GOVERNANCE', title: 'Governance: permitted users can bypass it' },
                { const: 'COMPLIANCE', title: 'Compliance: no one can bypass it' },
              ],
            },
            until: {
              type: 'string',
              title: 'Until (UTC)',
              default: lockUntil.slice(0, 16),
              pattern: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d',
              description: 'For example 2027-01-31T00:00. The time must be in the future by the region’s clock.',
            },
            bypass: { type: 'boolean', title: 'Bypass governance retention' },
          },
        }}
        submit="Save"
        cancel={close}
        send={async ({ mode = '', until = '', bypass }) => {
          await setRetention(object, String(mode), `${until}:00Z`, bypass === true);
          toast('Retention saved.');
          isDone = true;
          close();
        }}
      />
    </Dialog>
  ));
}
