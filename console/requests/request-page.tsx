// One request: what was asked, what became of each thing, and when it failed, why and what to do next.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { isAborted } from '../api.ts';
import { Breadcrumbs } from '../components/breadcrumbs.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { useAbortSignal, useResource } from '../components/resource.ts';
import { Copyable } from '../components/secret-dialog.tsx';
import { Loaded } from '../components/states.tsx';
import { Section, Time } from '../components/text.tsx';
import { regionNowMs } from '../region-clock.ts';
import { knownModels, type Models, type Presence, presenceOf, thingUrl } from '../resources/things.ts';
import type { PageProps } from '../router.ts';
import { activityUrl, labUrl, limitsUrl, requestsUrl } from '../urls.ts';
import { agoText, StateBadge } from './request-rows.tsx';
import { awaitEnd, type Requested, readRequest, type Target } from './requests-api.ts';
import { type Advice, adviceOf, bodyText, titleOf } from './requests-model.ts';

interface Shown {
  request: Requested;
  models: Models;
  presence: readonly Presence[]; // of its targets, as they are now
}

const mostTargets = 20; // that are looked for

export function RequestPage({ params, facts }: PageProps) {
  const id = params.id ?? '';
  const signal = useAbortSignal();
  const shown = useResource<Shown>(async (aborted) => {
    const [request, models] = await Promise.all([readRequest(id, aborted), knownModels()]);
    const looked = request.targets.slice(0, mostTargets);
    return { request, models, presence: await Promise.all(looked.map(({ path }) => presenceOf(path, aborted))) };
  });
  const isFollowed = useSignal(false);
  useLayoutEffect(
    () =>
      shown.answer.subscribe((answer) => {
        if (!answer || 'error' in answer || answer.value.request.state !== 'BUSY' || isFollowed.peek()) return;
        isFollowed.value = true;
        awaitEnd(id, signal).then(
          () => shown.reload(),
          (error: unknown) => (isAborted(error) ? undefined : shown.reload()),
        );
      }),
    [],
  );
  const hasLab = facts.services.some(({ name }) => name === 'lab');
  return (
    <div class="requests">
      <Breadcrumbs crumbs={[{ text: 'Requests', url: requestsUrl() }]} />
      <Loaded resource={shown} what="the request">
        {(value) => <Request {...value} hasLab={hasLab} />}
      </Loaded>
    </div>
  );
}

function Request({ request, models, presence, hasLab }: Shown & { hasLab: boolean }) {
  const { id, state, message, created, by, method, path, headers, body, targets } = request;
  return (
    <>
      <h1 tabIndex={-1}>
        {titleOf(request)} <StateBadge state={state} />
      </h1>
      <p class="lead">
        Asked by {by} <Time iso={created} note={agoText(created, regionNowMs())} />
      </p>
      {state === 'FAILED' && <Failed request={request} models={models} presence={presence} hasLab={hasLab} />}
      <Section title="Things">
        <ol class="requests-targets">
          {targets.map((target, at) => (
            <li key={target.path}>
              <StateBadge state={target.state} />
              <span>
                {target.type} <Thing models={models} target={target} presence={presence[at]} />
                <small>{target.path}</small>
              </span>
            </li>
          ))}
        </ol>
      </Section>
      <Section title="What was sent">
        <dl>
          <dt>Call</dt>
          <dd>
            <code>
              {method} {path}
            </code>
          </dd>
          <dt>Client</dt>
          <dd>{headers['user-agent'] ?? 'not told'}</dd>
          <dt>Answer</dt>
          <dd>{message}</dd>
          <dt>Id</dt>
          <dd>
            <code>{id}</code>
          </dd>
          <dt>Activity</dt>
          <dd>
            <a href={activityUrl({ resource: id, at: created })}>Its entry in the activity log</a>
          </dd>
        </dl>
        {body !== '' && <Copyable title="Body, without secrets" text={bodyText(body)} />}
        <CommandLine text={`ionosctl compute request get --request-id ${id}`} />
      </Section>
    </>
  );
}

interface FailedProps extends Shown {
  hasLab: boolean;
}

function Failed({ request, models, presence, hasLab }: FailedProps) {
  const isThere = (target: Requested['targets'][number]): boolean | undefined => {
    const found = presence[request.targets.indexOf(target)];
    return found === 'unknown' || found === undefined ? undefined : found === 'there';
  };
  const all = adviceOf(request, isThere).filter(({ leadsTo }) => leadsTo !== 'lab' || hasLab);
  return (
    <section class="panel requests-failed" aria-label="Why it failed">
      <p class="requests-cause">{request.message}</p>
      <ul>
        {all.map((advice) => (
          <li key={advice.text}>
            {advice.text} <Way advice={advice} request={request} models={models} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Way({ advice: { leadsTo }, request, models }: { advice: Advice; request: Requested; models: Models }) {
  const [first] = request.targets;
  const thing = first && thingUrl(models, first.path);
  if (leadsTo === 'limits') return <a href={limitsUrl()}>Limits</a>;
  if (leadsTo === 'lab') return <a href={labUrl()}>Lab</a>;
  if (leadsTo === 'thing' && thing) return <a href={thing}>Open the {first.type}</a>;
  if (leadsTo === 'activity') return <a href={activityUrl({ at: request.created })}>Activity</a>;
  return null;
}

interface ThingProps {
  models: Models;
  target: Target;
  presence: Presence | undefined;
}

function Thing({ models, target: { path, id, name = id }, presence }: ThingProps) {
  const url = thingUrl(models, path);
  if (presence === 'gone') return <span>{name} (does not exist now)</span>;
  return url ? <a href={url}>{name}</a> : <span>{name}</span>;
}
