// Something that can be done with one thing.

export interface Described {
  operation: string; // server_start
  title: string; // Start
  note: string;
  obstacle: string | undefined; // why it can't be done now
}

export type LinkedAction = Described & { url: string }; // it has a page
export type BegunAction = Described & { act(): void }; // it is begun where one is
export type ThingAction = LinkedAction | BegunAction;
