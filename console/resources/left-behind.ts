// What needs the thing, and stays without it when that is deleted.
export interface LeftBehind {
  kind: string; // auto scaling group
  name: string;
  url: string;
}
