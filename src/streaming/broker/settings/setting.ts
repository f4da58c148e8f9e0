// One setting as clients see it, and the check of a value against its definition.
import { type ConfigType, configTypes } from '../topic/config-definitions.ts';
import { forms } from '../topic/topic-config.ts';
import { type ErrorName, ProtocolError } from '../wire/errors.ts';

// The numbers are those of the protocol.
export const sources = {
  topic: 1,
  broker: 2, // set for one broker
  allBrokers: 3, // set for the cluster
  static: 4, // a fixed value of this broker
  default: 5,
  clientMetrics: 7,
  group: 8,
} as const;

export interface Synonym {
  name: string;
  value: string | null;
  source: number;
}

export interface Described {
  name: string;
  value: string | null;
  readOnly: boolean;
  configSource: number;
  isSensitive: boolean;
  configType: number;
  documentation: string | null;
  synonyms: Synonym[];
}

export const typeNumber = (type: ConfigType | undefined): number => (type ? configTypes[type] : 0);

export interface Bounds {
  type: ConfigType;
  least?: number | undefined;
  most?: number | undefined;
}

export function checkValue(name: string, sent: string, { type, least, most }: Bounds, error: ErrorName): void {
  const value = sent.trim();
  const refuse = (problem: string): never => {
    throw new ProtocolError(error, `Invalid value ${sent} for configuration ${name}: ${problem}`);
  };
  const isNumber = type === 'int' || type === 'short' || type === 'long' || type === 'double';
  if (!forms[type](value))
    refuse(isNumber ? `Not a number of type ${type.toUpperCase()}` : 'Expected value to be either true or false');
  if (least !== undefined && Number(value) < least) refuse(`Value must be at least ${least}`);
  if (most !== undefined && Number(value) > most) refuse(`Value must be no more than ${most}`);
}
