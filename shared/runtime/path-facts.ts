import { isEngineId } from '#shared/domain/engine-id.ts';
import { isOwnId } from '#shared/domain/ids.ts';

type PathParameters = Readonly<Record<string, string | undefined>> | null;

/**
 * The records that a path names, as members of a log line. A parameter that is no id may be anything, also a secret that
 * was pasted into the wrong place, so it is left out.
 */
export function pathFacts(parameters: PathParameters): Readonly<Record<string, string>> {
  const facts: Record<string, string> = {};
  for (const text of Object.values(parameters ?? {})) {
    const name = text === undefined ? undefined : memberOf(text);
    if (text !== undefined && name !== undefined) facts[name] = text;
  }
  return facts;
}

function memberOf(text: string): string | undefined {
  if (isOwnId('webhook', text)) return 'webhook_id';
  if (isOwnId('delivery', text)) return 'delivery_id';
  if (isOwnId('bulkReplay', text)) return 'replay_id';
  if (isEngineId('run', text)) return 'run_id';
  return isEngineId('tracker', text) ? 'tracker_id' : undefined;
}
