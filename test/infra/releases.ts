import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const output = z.object({ stack: z.string(), output: z.string() });

/** What the templates of a release have that later releases must keep. */
const releaseSchema = z.object({
  version: z.string(),
  /** Values that another stack of the release imports. CloudFormation refuses to remove them. */
  exports: z.array(output.extend({ value: z.unknown() })),
  /** Outputs that another stack of the release reads, with any settings. A rolled-back update reads them again. */
  reads: z.array(output),
  /** Stateful resources, by stack and logical id. */
  resources: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.string()))),
});

export type Release = z.infer<typeof releaseSchema>;

const folder = new URL('./releases/', import.meta.url);

/** Every release, oldest first. CONTRIBUTING.md says how a release is added. */
export const releases: readonly Release[] = readdirSync(folder)
  .filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name))
  .toSorted(new Intl.Collator('en', { numeric: true }).compare)
  .map((name) => releaseSchema.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))));
