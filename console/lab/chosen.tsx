// A choice of a resource by name, and the view of the chosen one.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { CommandLine } from '../components/command-line.tsx';
import { Select } from '../components/field.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { type Choices, listChoices } from './lab-api.ts';

export interface ChosenProps {
  title: string; // Datacenter
  what: string; // the datacenters
  path: string; // of the list in the API
  empty: string;
  command: string; // that creates the first one
  children(id: string, name: string): ComponentChildren;
}

export function Chosen({ title, what, path, empty, command, children }: ChosenProps) {
  const list = useResource<Choices>((signal) => listChoices(path, signal));
  const chosen = useSignal('');
  return (
    <Loaded resource={list} what={what}>
      {(choices) => {
        const [id, name] = choices.find(([one]) => one === chosen.value) ?? choices[0] ?? [];
        if (id === undefined || name === undefined)
          return (
            <Empty text={empty}>
              <CommandLine text={command} />
            </Empty>
          );
        return (
          <>
            <div class="lab-choice">
              <Select
                title={title}
                value={id}
                options={choices}
                onChange={(one) => {
                  chosen.value = one;
                }}
              />
            </div>
            <div key={id}>{children(id, name)}</div>
          </>
        );
      }}
    </Loaded>
  );
}
