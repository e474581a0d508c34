import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { MessageResult, Refusal } from '#shared/operations/ports.ts';
import type { IntakeResult, LoggedSubject, TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import type { Effects } from './fan-out-effects.ts';

export type Stored = Effects & { readonly result: MessageResult | Refusal };

/** One event for the whole batch: a line for each message would cost as much as the line of its attempt. */
export function batchReport(finished: readonly Stored[]): TelemetryEvent {
  return {
    name: 'intake.done',
    results: finished.map(resultOf),
    events: finished.flatMap(({ event }) => event ?? []),
  };
}

function resultOf({ result, event }: Stored): IntakeResult {
  if (result === 'retry') return 'retried';
  if (result !== 'done') return 'unknown_customer';
  return event?.isRepeated ? 'repeated' : 'accepted';
}

/** The ids by which a line about a message is found. */
export function subjectOf(message: IntakeMessage): LoggedSubject {
  const customerId = message.customer_id;
  if ('run' in message) return { customerId, runId: message.run.id };
  return 'run_id' in message ? { customerId, runId: message.run_id } : { customerId };
}
