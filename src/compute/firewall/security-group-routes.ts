// Routes of security groups other than CRUD: a PUT that also replaces the rules, and the groups of a server or a NIC.
import { Fault, type Problem } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json } from '../../base/json.ts';
import { changeOf, draftOf, removalOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf, type Resource } from '../../core/resource.ts';
import { check, list, type Properties, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { sentOf } from '../../surface/core-dialect/body.ts';
import { resolve } from '../../surface/core-dialect/find.ts';
import { drawRows } from '../../surface/core-dialect/list.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { changeReply, requestLocation } from '../../surface/core-dialect/reply.ts';
import { bodySchema, collectionSchema, propertiesSchema, resourceSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Reply, type Route } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { perform } from '../../surface/perform.ts';
import { pathTo } from '../../surface/resource-paths.ts';
import { datacenter } from '../datacenter.ts';
import { nic } from '../lan/nic.ts';
import { server } from '../server/server.ts';
import type { ComputeTools } from '../tools.ts';
import { groupPath } from './default-group.ts';
import { claimSlots, ruleSlots } from './limit-slots.ts';
import { securityGroup, setGroups } from './security-group.ts';
import { securityGroupRule } from './security-group-rule.ts';

const chain = [datacenter, securityGroup] as Resource[];
const assignment: Properties = {
  ids: list(text({ max: 64 }), { required: true, description: 'The IDs of all its security groups' }),
};

export function securityGroupRoutes(machinery: Machinery): Route[] {
  const { store, model } = machinery;
  const group = model.get('securitygroup');
  const assign = (above: Resource[], name: string): Route => ({
    method: 'PUT',
    path: `${pathTo(above)}/securitygroups`,
    operation: `${name}_securitygroups_assign`,
    summary: `Set the security groups of a ${name}`,
    takesBody: true,
    parameters: [depthParameter],
    bodySchema: propertiesSchema(assignment, 'create'),
    replySchema: collectionSchema(group),
    resolve: (x) => resolve(store, x, above, 'change'),
    call: (x) => assignCall(machinery, x),
  });
  return [
    {
      method: 'PUT',
      path: pathTo(chain),
      operation: 'securitygroup_replace',
      summary: 'Replace a securitygroup, and its rules if they are sent',
      takesBody: true,
      parameters: [depthParameter],
      bodySchema: bodySchema(group, 'replace'),
      replySchema: resourceSchema(group),
      replyStatus: 202,
      resolve: (x) => resolve(store, x, chain, 'replace'),
      call: (x) => replaceCall(machinery, x),
    },
    assign([datacenter, server] as Resource[], 'server'),
    assign([datacenter, server, nic] as Resource[], 'nic'),
  ];
}

const tools = ({ model }: Machinery): DecisionContext<ComputeTools> =>
  model.context(model.get('securitygroup')) as DecisionContext<ComputeTools>;

async function assignCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { model } = machinery;
  let groups: Row[] = [];
  const draft = (): Draft => {
    const row = x.rows.at(-1) as Row;
    return changeOf(model.get(row.kind), x.who, x.rows.slice(0, -1), row);
  };
  const decide = async (draft: Draft): Promise<void> => {
    groups = await groupsSent(machinery, x);
    setGroups(draft, groups.map(pathOf));
    for (const group of groups)
      draft.extraWrites.push({ op: 'guard', table: 'resource', key: group, version: group.version });
  };
  await perform(machinery, x, { sentBody: x.text, draft, decide });
  const row = x.rows.at(-1) as Row;
  const at = { id: `${row.id}/securitygroups`, path: `${pathOf(row)}/securitygroups` };
  const drawn = await drawRows(machinery, model.get('securitygroup'), x, groups, at);
  return json(200, drawn, requestLocation(x));
}

async function groupsSent(machinery: Machinery, x: Exchange): Promise<Row[]> {
  const { store } = machinery;
  const { contract } = x.who;
  const { values, problems } = check(assignment, x.body, 'create', '(root)');
  refuseAll(problems);
  const top = pathOf(x.rows[0] as Row);
  const ids = values.ids as string[];
  const groups = new Map<string, Row>();
  for (const [index, id] of ids.entries()) {
    const row = isUuid(id) ? await store.at(contract, groupPath(top, id)) : undefined;
    const refuse = (message: string) => problems.push({ code: '200', message: `[(root).ids.[${index}]] ${message}` });
    if (!row || row.state === 'DELETING') refuse(`Security group ${id} does not exist in this datacenter`);
    else if (row.state !== 'AVAILABLE' || (await store.creating(contract, pathOf(row))))
      refuse(`Security group ${id} is BUSY. Wait until its request is DONE`);
    else groups.set(id, row);
  }
  refuseAll(problems);
  const most = (await tools(machinery).tools.limits(contract)).securityGroupsPerResource ?? Number.POSITIVE_INFINITY;
  if (groups.size > most) {
    const message = `[(root).ids] The limit securityGroupsPerResource of the contract is ${most}`;
    throw new Fault('refused', message, { code: '200' });
  }
  return [...groups.values()];
}

function refuseAll(problems: Problem[]): void {
  if (problems.length === 0) return;
  throw new Fault('refused', 'The request body is not acceptable.', { problems });
}

async function replaceCall(machinery: Machinery, x: Exchange): Promise<Reply> {
  const { model } = machinery;
  const draft = async (): Promise<Draft> => {
    const [top, before] = x.rows as [Row, Row];
    const { properties, entities } = sentOf(x.body, 'replace');
    const problems: Problem[] = [];
    const input = { resource: model.get('securitygroup'), way: 'replace' as const, caller: x.who, parents: [top] };
    const draft = tried(problems, () => draftOf(model, { ...input, before, sent: { properties }, at: '(root)' }));
    const rules = await rulesSent(machinery, x, entities, problems);
    refuseAll(problems);
    if (rules) await replaceRules(machinery, x, draft as Draft, rules);
    return draft as Draft;
  };
  return changeReply(machinery, x, await perform(machinery, x, { sentBody: x.text, draft }));
}

interface SentRules {
  made: Draft[];
  changed: Draft[];
  left: Row[]; // were not sent
}

// A rule that is sent with its id is changed to the sent values; all others are new.
async function rulesSent(
  machinery: Machinery,
  x: Exchange,
  entities: Json | undefined,
  problems: Problem[],
): Promise<SentRules | undefined> {
  const items = itemsIn(entities, problems);
  if (!items) return undefined;
  const { model } = machinery;
  const left = await existingRules(machinery, x);
  const rules: SentRules = { made: [], changed: [], left };
  for (const [index, item] of items.entries()) {
    const at = `${itemsPlace}.[${index}]`;
    const known = isObject(item) && item.id !== undefined;
    const before = known ? left.find(({ id }) => id === item.id) : undefined;
    if (known && !before)
      problems.push({ code: '100', message: `[${at}.id] The security group has no rule with this ID` });
    if (before) left.splice(left.indexOf(before), 1);
    const draft = tried(problems, () =>
      draftOf(model, {
        resource: model.get(securityGroupRule.name),
        way: before ? 'replace' : 'create',
        caller: x.who,
        parents: x.rows,
        before,
        sent: { properties: isObject(item) ? item.properties : undefined },
        at,
      }),
    );
    if (draft) (before ? rules.changed : rules.made).push(draft);
  }
  return rules;
}

const itemsPlace = '(root).entities.rules.items';
const maxItems = 1000;

// Undefined: no rules were sent, so the existing ones are unchanged.
function itemsIn(entities: Json | undefined, problems: Problem[]): Json[] | undefined {
  const wrong = (at: string, expected: string): undefined => {
    problems.push({ code: '100', message: `[${at}] ${expected}` });
  };
  if (entities === undefined || entities === null) return undefined;
  if (!isObject(entities)) return wrong('(root).entities', 'An object is expected');
  const { rules } = entities;
  if (rules === undefined || rules === null) return undefined;
  if (!isObject(rules)) return wrong('(root).entities.rules', 'An object is expected');
  const { items } = rules;
  if (items === undefined) return undefined;
  if (!Array.isArray(items)) return wrong(itemsPlace, 'A list is expected');
  return items.length > maxItems ? wrong(itemsPlace, `Expected at most ${maxItems} elements`) : items;
}

async function existingRules({ store }: Machinery, x: Exchange): Promise<Row[]> {
  const group = x.rows.at(-1) as Row;
  const rows: Row[] = [];
  for await (const row of store.each({
    contract: group.contract,
    place: `${pathOf(group)}/${securityGroupRule.plural}`,
  })) {
    if (row.state === 'DELETING') continue;
    if (row.state !== 'AVAILABLE' || (await store.creating(row.contract, pathOf(row))))
      throw new Fault('refused', `Rule ${row.id} is BUSY. Wait until its request is DONE.`, { code: '200' });
    rows.push(row);
  }
  return rows;
}

async function replaceRules(machinery: Machinery, x: Exchange, draft: Draft, rules: SentRules): Promise<void> {
  const { made, changed, left } = rules;
  const rule = machinery.model.get(securityGroupRule.name);
  await claimSlots(made, tools(machinery), ruleSlots(pathOf(draft)), left);
  draft.children.push(...made);
  draft.related.push(...changed, ...left.map((row) => removalOf(rule, x.who, x.rows, row)));
  // The rules are only a part of the operation: BUSY until it has ended.
  draft.lockPath = `${pathOf(draft)}/${rule.plural}/${x.id}`;
}

// All problems are reported together.
function tried<T>(problems: Problem[], work: () => T): T | undefined {
  try {
    return work();
  } catch (fault) {
    if (!(fault instanceof Fault) || fault.kind !== 'refused') throw fault;
    problems.push(...fault.problems);
    return undefined;
  }
}
