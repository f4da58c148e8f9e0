// What needs the thing: it stays without it when that is deleted, or keeps it from being deleted.
export interface Dependent {
  kind: string; // auto scaling group
  name: string;
  url: string;
}
