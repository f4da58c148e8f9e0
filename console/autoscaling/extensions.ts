// What is special about auto scaling groups.
import type { Extension } from '../resources/extension.ts';

export const autoscalingExtensions: readonly Extension[] = [];
