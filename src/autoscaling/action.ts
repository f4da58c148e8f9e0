// The actions of a group, past and current. Each POST and PUT and each decision of the policy creates an action. Its
// row is written when the action begins; its end is written together with the operation that performs it.
import type { Values } from '../base/json.ts';
import { resource } from '../core/resource.ts';
import { text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { autoscaling } from './dialect/dialect.ts';
import { group } from './group.ts';
import { actionState } from './group-row.ts';
import type { AutoscalingTools } from './tools.ts';

export const action = resource<AutoscalingTools>({
  name: 'autoscalingaction',
  shown: {
    title: 'Action',
    type: 'action',
    phrase: 'an action of a group',
    newestFirst: true,
    columns: ['actionType', 'actionStatus'],
  },
  plural: 'actions',
  root: 'autoscaling/',
  dialect: autoscaling,
  parents: [group],
  verbs: ['list', 'get'],
  rights: { create: 'none' },
  actions: 'autoscaling.action',
  properties: {
    actionStatus: text({ serverFilled: true, oneOf: ['IN_PROGRESS', 'SUCCESSFUL', 'FAILED'] }),
    actionType: text({ serverFilled: true, oneOf: ['SCALE_IN', 'SCALE_OUT'] }),
  },
  noted: { read: statusMessage, schema: { statusMessage: { type: 'string', description: 'Why it FAILED' } } },
});

function statusMessage(row: Row): Values {
  const { message } = actionState(row);
  return message === undefined ? {} : { statusMessage: message };
}
