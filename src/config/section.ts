// The settings of one product: their defaults, and the options that change them.
export interface Setting<Values> {
  takes?: string; // what its value is called in the help; absent: it is true or false
  help: string;
  isOnByDefault?: true; // the option of the command line is --no-NAME
  set(values: Values, text: string): void;
}

export interface Section<Values extends object> {
  defaults: Values;
  options: Readonly<Record<string, Setting<Values>>>; // by the names of the long options
  engineOption?: string; // the option that says where its data is: the value `engine`
  complete?(values: Values): void; // when all options were read: what the environment or other values decide
}

export const assign = <T extends object>(values: T, some: Partial<T>): void => void Object.assign(values, some);
