/** Files that a function serves, and what they are made of. */
export type FileSource = {
  /** Files and folders below the root. */
  readonly sources: readonly string[];
  /** Content of each file by its name. */
  readonly build: (root: string) => Promise<ReadonlyMap<string, string>>;
};
