// The facts about the formatted line that template functions can use.
export interface LineScope {
  line: string;
  timeNs: bigint;
}
