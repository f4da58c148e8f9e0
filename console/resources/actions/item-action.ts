// An action on one resource.

export interface ActionInfo {
  operation: string; // server_start
  title: string; // Start
  note: string;
  obstacle: string | undefined; // why the action is not possible now
}

export type LinkedAction = ActionInfo & { url: string }; // opens a page
export type DirectAction = ActionInfo & { act(): void }; // runs on the current page
export type ItemAction = LinkedAction | DirectAction;
