<<<<<<< HEAD

import type * as z from 'zod/mini';
import { connectServedTable } from '#shared/aws/clients.ts';
import { setting } from '#shared/runtime/environment.ts';
import { operatorCall } from '#shared/runtime/operator-call.ts';

=======

import { connectServedTable } from '#shared/aws/clients.ts';
import { setting } from '#shared/runtime/environment.ts';
import { type CallOf, type CallSchema, operatorCall } from '#shared/runtime/operator-call.ts';

>>>>>>> cbe21365 (The functions of the operator share how they are wired)

import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

/** The table that every function of the operator uses. */
export const table = connectServedTable(setting('tableName'), report, now);

/** Builds the Lambda handler of a function that the operator's own programs invoke with their AWS credentials. */
<<<<<<< HEAD
export function operatorOperation<S extends z.ZodMiniType>(
  schema: S,
  run: (request: z.output<S>) => Promise<unknown>,
=======
export function operatorOperation<S extends CallSchema>(
  schema: S,
  run: (request: CallOf<S>) => Promise<unknown>,
>>>>>>> cbe21365 (The functions of the operator share how they are wired)
) {
  return withRequestId(operatorCall(schema, run));
}
