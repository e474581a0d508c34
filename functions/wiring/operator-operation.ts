import { connectTable } from '#shared/aws/clients.ts';
import { setting } from '#shared/runtime/environment.ts';
import { type CallOf, type CallSchema, operatorCall } from '#shared/runtime/operator-call.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

/** The table that every function of the operator uses. None of them lists rows that expire. */
export const table = connectTable(setting('tableName'), report);

/** Builds the Lambda handler of a function that the operator's own programs invoke with their AWS credentials. */
export function operatorOperation<S extends CallSchema>(schema: S, run: (request: CallOf<S>) => Promise<unknown>) {
  return withRequestId(operatorCall(schema, run));
}
