// Contracts for tests: each has an owner and a token, which are shown once.
import { useSignal } from '@preact/signals';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Copyable } from '../components/secret-dialog.tsx';
import { Failure } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { createContract, type NewContract } from './lab-api.ts';

export function ContractsPart() {
  const failure = useSignal<unknown>(undefined);
  const isMaking = useSignal(false);
  const make = async (): Promise<void> => {
    isMaking.value = true;
    failure.value = undefined;
    try {
      openContract(await createContract());
    } catch (error) {
      failure.value = error;
    }
    isMaking.value = false;
  };
  return (
    <Section
      title="Contracts for tests"
      lead="A fresh contract with an owner and a token of theirs: tests that share a region do not see each other."
      actions={<Button text="New contract" disabled={isMaking.value} onPress={() => void make()} />}
    >
      {failure.value !== undefined && <Failure title="No contract was made." error={failure.value} />}
      <CommandLine text="cumulet contract add --owner team@example.com" />
    </Section>
  );
}

const openContract = ({ contract, email, password, token }: NewContract): void =>
  openDialog((close) => (
    <Dialog title={`Contract ${contract}`} close={close}>
      <p>This is the only time that the password and the token are shown.</p>
      <Copyable title="E-mail of the owner" text={email} />
      <Copyable title="Password" text={password} isShownOnce />
      <Copyable title="Token" text={token} takesFocus isShownOnce />
      <Button text="Done" look="plain" onPress={close} />
    </Dialog>
  ));
