import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import * as z from 'zod';
import { parseJson } from './parse-json.ts';

export const stackFileOption = new Option('--stack-file <path>', 'file that describes the running local stack').default(
  '.local/stack.json',
);

/** The option as the user types it, after a space; nothing for the default. */
export function typedStackFile(path: string): string {
  if (path === stackFileOption.defaultValue) return '';
  return ` --stack-file ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`;
}

/** The resources of the stage, as the file names them. */
export const localResources = z.object({
  table_name: z.string(),
  intake_queue_url: z.string(),
  delivery_queue_url: z.string(),
  slow_delivery_queue_url: z.string(),
  replay_queue_url: z.string(),
  replay_dead_letter_queue_url: z.string(),
  intake_dead_letter_queue_url: z.string(),
  delivery_dead_letter_queue_url: z.string(),
});

/**
 * Reads the file that describes the running local stack.
 *
 * @throws Error with the next step, when the file is missing or does not match the schema
 */
export async function readLocalStack<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`No local stack is running (${path} is missing): run \`npm start\`, or name a stage with --stage`);
  });
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${path} was not written by this version of the local stack: start it again with npm start`);
}
