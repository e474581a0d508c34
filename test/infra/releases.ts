import first from './releases/0.1.0.json' with { type: 'json' };
import second from './releases/0.2.0.json' with { type: 'json' };
import type { StatefulResources } from './stateful-resources.ts';

/** What the templates of a release have that later releases must keep. */
export type Release = {
  readonly version: string;
  /** Values that another stack of the release imports. CloudFormation refuses to remove them. */
  readonly exports: readonly { readonly stack: string; readonly output: string; readonly value: unknown }[];
  /** Outputs that another stack of the release reads, with any settings. A rolled-back update reads them again. */
  readonly reads: readonly { readonly stack: string; readonly output: string }[];
  readonly resources: StatefulResources;
};

/** Every release, oldest first. CONTRIBUTING.md says how a release is added. */
export const releases: readonly Release[] = [first, second];
