// The page of a request: its resources with their states, the call, and for a failure the reason and advice.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { isAborted } from '../api.ts';
import { CommandLine } from '../components/command-line.tsx';
import { Breadcrumbs } from '../components/page/breadcrumbs.tsx';
import { useAbortSignal, useResource } from '../components/resource.ts';
import { Copyable } from '../components/secret-dialog.tsx';
import { Loaded } from '../components/states.tsx';
import { Section, Time } from '../components/text.tsx';
import { regionNowMs } from '../region-clock.ts';
import { requestDetails } from '../resources/client-commands/page-commands.ts';
import { retryUrl } from '../resources/form/retry.ts';
import { knownModels, type Models, type Presence, pageUrlAt, presenceOf } from '../resources/page-urls.ts';
import { lower } from '../resources/words.ts';
import type { PageProps } from '../router.ts';
import { kindTitle } from '../sitemap.ts';
import { activityUrl, labUrl, limitsUrl, requestsUrl } from '../urls.ts';
import { retryText } from './follow.ts';
import { agoText, StateBadge } from './request-rows.tsx';
import { awaitEnd, type Requested, readRequest, type Target } from './requests-api.ts';
import { type Advice, adviceOf, bodyText, titleOf } from './requests-model.ts';

interface LoadedRequest {
  request: Requested;
  models: Models;
  presence: readonly Presence[]; // the present state of its targets
}

const mostTargets = 20; // whose presence is checked

export function RequestPage({ params, facts }: PageProps) {
  const id = params.id ?? '';
  const signal = useAbortSignal();
  const shown = useResource<LoadedRequest>(async (aborted) => {
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

function Request({ request, models, presence, hasLab }: LoadedRequest & { hasLab: boolean }) {
  const { id, state, message, created, by, method, path, headers, body, targets } = request;
  return (
    <>
      <h1 tabIndex={-1}>
        {titleOf(request)} <StateBadge state={state} />
      </h1>
      <p class="lead">
        Requested by {by} <Time iso={created} note={agoText(created, regionNowMs())} />
      </p>
      {state === 'FAILED' && <Failed request={request} models={models} presence={presence} hasLab={hasLab} />}
      <Section title="Resources">
        <ol class="requests-targets">
          {targets.map((target, at) => (
            <li key={target.path}>
              <StateBadge state={target.state} />
              <span>
                {kindTitle(target.type)} <TargetLink models={models} target={target} presence={presence[at]} />
                <small>{target.path}</small>
              </span>
            </li>
          ))}
        </ol>
      </Section>
      <Section title="Call">
        <dl>
          <dt>Path</dt>
          <dd>
            <code>
              {method} {path}
            </code>
          </dd>
          <dt>Client</dt>
          <dd>{headers['user-agent'] ?? 'unknown'}</dd>
          <dt>Answer</dt>
          <dd>{message}</dd>
          <dt>Id</dt>
          <dd>
            <code>{id}</code>
          </dd>
          <dt>Activity</dt>
          <dd>
            <a href={activityUrl({ resource: id, at: created })}>Activity log entry</a>
          </dd>
        </dl>
        {body !== '' && <Copyable title="Body, without secrets" text={bodyText(body)} />}
        <CommandLine text={requestDetails(id)} />
      </Section>
    </>
  );
}

interface FailedProps extends LoadedRequest {
  hasLab: boolean;
}

function Failed({ request, models, presence, hasLab }: FailedProps) {
  const isThere = (target: Requested['targets'][number]): boolean | undefined => {
    const found = presence[request.targets.indexOf(target)];
    return found === 'unknown' || found === undefined ? undefined : found === 'there';
  };
  const retry = request.state === 'FAILED' ? retryUrl(models, request) : undefined;
  const all = adviceOf(request, isThere).filter(({ leadsTo }) => leadsTo !== 'lab' || hasLab);
  return (
    <section class="panel requests-failed" aria-label="Failure">
      <p class="requests-cause">{request.message}</p>
      {retry !== undefined && (
        <p>
          <a class="button" href={retry}>
            {retryText}
          </a>
        </p>
      )}
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
  const url = first && pageUrlAt(models, first.path);
  if (leadsTo === 'limits') return <a href={limitsUrl()}>Limits</a>;
  if (leadsTo === 'lab') return <a href={labUrl()}>Lab</a>;
  if (leadsTo === 'resource' && url) return <a href={url}>Open {lower(kindTitle(first.type))}</a>;
  if (leadsTo === 'activity') return <a href={activityUrl({ at: request.created })}>Activity</a>;
  return null;
}

interface TargetLinkProps {
  models: Models;
  target: Target;
  presence: Presence | undefined;
}

function TargetLink({ models, target: { path, id, name = id }, presence }: TargetLinkProps) {
  const url = pageUrlAt(models, path);
  if (presence === 'gone') return <span>{name} (does not exist now)</span>;
  return url ? <a href={url}>{name}</a> : <span>{name}</span>;
}
