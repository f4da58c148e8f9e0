// A resource that uses another one: it stops working when that is deleted, or prevents the deletion.
export interface Dependent {
  kind: string; // auto scaling group
  name: string;
  url: string;
}
