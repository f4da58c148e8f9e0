// VM auto scaling: the resources of the service under /autoscaling.
import { action } from './action.ts';
import { group } from './group.ts';
import { replica } from './replica.ts';

export const autoscalingResources = [group, action, replica];
