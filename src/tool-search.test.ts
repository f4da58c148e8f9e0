// Finding a tool by a question.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolboxOf } from './agent/all-tools.ts';
import { declaredResources } from './products.ts';

test('[TOOLS-02] questions as people ask them lead to the tool that answers them', async () => {
  const toolbox = toolboxOf(await declaredResources());
  for (const [question, name] of [
    ['What did this month cost?', 'monthly_cost'],
    ['who deleted my server', 'what_changed'],
    ["why can't web reach db", 'explain_reachability'],
    ['unused volumes', 'find_unused'],
    ['draw the network diagram', 'show_topology'],
    ['firewall rules of a NIC', 'list_firewall_rules'],
    ['logs with error', 'search_logs'],
    ['buckets', 'list_object_storage_buckets'],
  ] as const)
    assert.equal(toolbox.search(question, undefined, 1)[0]?.name, name, question);
});
