// Contracts for tests: each has an owner with a password and a token, which are shown once.
import { useSignal } from '@preact/signals';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Copyable } from '../components/secret-dialog.tsx';
import { Failure } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { addContract } from '../resources/client-commands/page-commands.ts';
import { refusalOf } from '../rights/session-rights.ts';
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
      title="Test contracts"
      lead="A new contract with an owner and a token. With separate contracts, tests that share a region don’t see each other."
      main={
        <Button
          icon="plus"
          text="Create contract"
          disabled={isMaking.value}
          obstacle={refusalOf({ method: 'POST', path: '/lab/contracts' })}
          onPress={() => void make()}
        />
      }
    >
      {failure.value !== undefined && <Failure title="The contract was not created." error={failure.value} />}
      <CommandLine text={addContract} />
    </Section>
  );
}

const openContract = ({ contract, email, password, token }: NewContract): void =>
  openDialog((close) => (
    <Dialog title={`Contract ${contract}`} close={close}>
      <p>The password and the token are shown only now.</p>
      <Copyable title="Owner e-mail" text={email} />
      <Copyable title="Password" text={password} isShownOnce />
      <Copyable title="Token" text={token} takesFocus isShownOnce />
      <Button text="Done" look="plain" onPress={close} />
    </Dialog>
  ));
