import type * as z from 'zod';
import { plainFault } from './plain-fault.ts';

/**
 * A handler that the operator's own programs invoke directly, with their AWS credentials. What it throws is the error of
 * the invocation, so the message says what to correct and repeats no value.
 */
export function operatorCall<S extends z.ZodType>(
  schema: S,
  run: (request: z.output<S>) => Promise<object>,
): (event: unknown) => Promise<object> {
  return async (event) => {
    const parsed = schema.safeParse(event, { error: plainFault });
    if (parsed.success) return await run(parsed.data);
    const faults = parsed.error.issues.map(({ path, message }) => {
      return `${path.length === 0 ? 'The request' : `\`${path.map(String).join('.')}\``} ${message}`;
    });
    throw new Error(faults.join('; '));
  };
}
