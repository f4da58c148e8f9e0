// What a group did or is doing: an action for each POST and PUT, and for each decision of its policy. A row is written
// when it begins; its end is written with the operation that carries it out.
import type { Values } from '../base/json.ts';
import { autoscaling } from '../core/dialect.ts';
import { resource } from '../core/resource.ts';
import { text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import { group } from './group.ts';
import { actionState } from './group-row.ts';
import type { AutoscalingTools } from './tools.ts';

export const action = resource<AutoscalingTools>({
  name: 'autoscalingaction',
  type: 'action',
  title: 'an action of a group',
  plural: 'actions',
  root: 'autoscaling/',
  dialect: autoscaling,
  parents: [group],
  verbs: ['list', 'get'],
  privilege: 'none',
  newestFirst: true,
  actions: 'autoscaling.action',
  properties: {
    actionStatus: text({ serverFilled: true, oneOf: ['IN_PROGRESS', 'SUCCESSFUL', 'FAILED'] }),
    actionType: text({ serverFilled: true, oneOf: ['SCALE_IN', 'SCALE_OUT'] }),
  },
  columns: ['actionType', 'actionStatus'],
  noted: statusMessage,
  notedSchema: { statusMessage: { type: 'string', description: 'Why it FAILED' } },
});

function statusMessage(row: Row): Values {
  const { message } = actionState(row);
  return message === undefined ? {} : { statusMessage: message };
}
