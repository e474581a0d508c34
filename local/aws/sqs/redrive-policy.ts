import { z } from 'zod';

/** `null` for a queue without dead letters. */
export type RedrivePolicy = { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number } | null;

const policySchema = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() });

/** Policies by their text: a queue asks for its policy at each receive. */
const known = new Map<string, RedrivePolicy>();

/** Ignores a malformed policy, as the emulator does. */
export function redrivePolicyOf(text: string | undefined): RedrivePolicy {
  if (text === undefined || text === '') return null;
  const found = known.get(text);
  if (found !== undefined) return found;
  const policy = parsePolicy(text);
  known.set(text, policy);
  return policy;
}

function parsePolicy(text: string): RedrivePolicy {
  try {
    return policySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
