import type * as z from 'zod/mini';
import { plainFault } from './plain-fault.ts';
import { faultsOf, inCall, maxFaults } from './request-faults.ts';

/**
 * A call that its caller has to correct. The name becomes the `errorType` of the answer of Lambda, by which a program
 * tells the cases apart; the message becomes its `errorMessage`.
 */
export class CallRefused extends Error {
  constructor(name: 'InvalidRequest' | 'CustomerNotFound' | 'ApiKeyNotFound' | 'ReferenceInUse', message: string) {
    super(message);
    this.name = name;
  }
}

export function customerNotFound(): CallRefused {
  return new CallRefused('CustomerNotFound', '`customer_id` names no customer of this stage');
}

export type CallSchema = z.ZodMiniType;
export type CallOf<S extends CallSchema> = z.output<S>;

/**
 * A handler that the operator's own programs invoke directly, with their AWS credentials. The message of a refusal says
 * what to correct and repeats no value, because Lambda logs it.
 *
 * @throws CallRefused `InvalidRequest` when the event does not have the shape of the schema
 */
export function operatorCall<S extends CallSchema>(
  schema: S,
  run: (request: CallOf<S>) => Promise<unknown>,
): (event: unknown) => Promise<unknown> {
  return async (event) => {
    const parsed = schema.safeParse(event, { error: plainFault });
    if (parsed.success) return await run(parsed.data);
    const faults = faultsOf(schema, parsed.error.issues.slice(0, maxFaults), inCall);
    throw new CallRefused('InvalidRequest', faults.map(({ detail }) => detail).join('; '));
  };
}
