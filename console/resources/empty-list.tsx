// An empty collection shows how to create the first resource, in the console and by the command line.
import { CommandLine } from '../components/command-line.tsx';
import { Empty } from '../components/states.tsx';
import { firstCommand } from './client-commands/first-command.ts';
import { extensionsOf } from './extensions.ts';
import { startOf } from './form/nested-resources.tsx';
import type { ResourceModel } from './model.ts';
import { addressOf, refusalOfOperation } from './operations.ts';
import { acrossPath, matched, placeUrl } from './place.ts';
import { choicesFor, refersTo } from './schema-form/sources.ts';
import { lower } from './words.ts';

export interface EmptyListProps {
  models: readonly ResourceModel[];
  model: ResourceModel;
  path: string;
  region: string; // of new resources
  above: ResourceModel | undefined; // the parent type, in lists across several parents
}

export function EmptyList({ models, model, path, region, above }: EmptyListProps) {
  const { create, titles, words } = model;
  if (above)
    return (
      <Empty text={`There are no ${lower(titles)} yet.`}>
        <p>
          {'Select where to create the first one: '}
          <a href={placeUrl(above, acrossPath(above))}>{above.titles}</a>
        </p>
      </Empty>
    );
  const params = matched(model.collection, path) ?? {};
  const refusal = create && refusalOfOperation(model, create, params);
  if (refusal !== undefined)
    return (
      <Empty text={`There are no ${lower(titles)} here.`}>
        <p>{refusal}</p>
      </Empty>
    );
  const command =
    create &&
    firstCommand(
      create,
      {
        words,
        start: startOf(model)?.properties ?? extensionsOf(model.name).find(({ first }) => first)?.first,
        refers: (place) => refersTo(choicesFor(models, model, params), place),
      },
      {
        url: location.origin + addressOf(model, create, { params }),
        params,
        ...(model.isRegional && { region }),
      },
    );
  return (
    <Empty text={`There are no ${lower(titles)} here.`}>
      {create && (
        <p>
          <a href={placeUrl(model, `${path}/new`)}>{create.title}</a>
          {command && ' or use the command line:'}
        </p>
      )}
      {command && <CommandLine text={command.shown.text} />}
    </Empty>
  );
}
