import type { Command } from 'commander';
import { areQueuesEmpty } from '#shared/aws/queues/queue-depth.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { DeliveryKey, DeliveryStatus } from '#shared/domain/delivery.ts';
import type { AuditedDelivery, AuditedReplay, Progress } from '#shared/domain/progress.ts';
import { type Audit, auditDeliveries } from '#shared/operations/delivery/audit-deliveries.ts';
import { now } from '#shared/runtime/system.ts';
import { ofNumber } from '../cli/option-parsers.ts';
import { type Invocation, invoke, onTarget, type Target } from '../cli/target.ts';
import { duration, textTable } from '../cli/text-table.ts';

type AuditInvocation = Invocation<{ readonly hours: number; readonly wake?: true }>;

const hour = 60 * 60_000;

type ConnectAudit = (open: () => Promise<Target>) => Promise<ReturnType<typeof auditDeliveries>>;

/** @param connect the audit of the stage that options name */
export function addAuditCommand(command: Command, connect: ConnectAudit = connectAudit): void {
  const parseHours = ofNumber((hours) => Number.isFinite(hours) && hours > 0, 'Give a number of hours above 0');
  onTarget(command, 'Count deliveries by state, and find stranded ones and stalled bulk replays')
    .option('--hours <number>', 'how far back to look', parseHours, 24)
    .option('--wake', 'hand stranded deliveries to the sweep, which continues them')
    .action(invoke((invocation: AuditInvocation) => runAudit(invocation, connect)));
}

async function runAudit(invocation: AuditInvocation, connect: ConnectAudit): Promise<void> {
  const { options, open, show } = invocation;
  const startedAt = now();
  const from = Math.max(0, startedAt - options.hours * hour);
  const auditing = await connect(open);
  const audit = await auditing({ from, to: startedAt, requeue: options.wake === true }, () => true);
  show(toJson(audit, startedAt), describeAudit(audit, startedAt, invocation));
  // A stranded delivery or a stalled replay breaks a promise, so scripts must see it in the exit code.
  if (audit.pending.stranded > 0 || audit.stalledReplays.length > 0) process.exitCode = 1;
}

async function connectAudit(open: () => Promise<Target>): Promise<ReturnType<typeof auditDeliveries>> {
  const { table, queues, ...stage } = await open();
  return auditDeliveries({
    now,
    report: () => {},
    table,
    areQueuesEmpty: areQueuesEmpty(queues, [stage.intakeQueueUrl, stage.deliveryQueueUrl, stage.slowDeliveryQueueUrl]),
  });
}

function toJson(audit: Audit, at: number) {
  const { from, to, complete, deliveries, pending, requeued } = audit;
  return {
    from: timestamp(from),
    to: timestamp(to),
    complete,
    deliveries,
    pending,
    oldest_pending: withAge(audit.oldestPending, at),
    oldest_stranded: withAge(audit.oldestStranded, at),
    stranded: audit.stranded.map(idsOf),
    requeued,
    stalled_replays: audit.stalledReplays.map(({ key, lastStepAt }) => ({
      customer_id: key.customerId,
      webhook_id: key.webhookId,
      replay_id: key.id,
      last_step_at: timestamp(lastStepAt),
    })),
  };
}

const idsOf = ({ customerId, webhookId, id }: DeliveryKey) => ({
  customer_id: customerId,
  webhook_id: webhookId,
  delivery_id: id,
});

function withAge(delivery: AuditedDelivery | null, at: number) {
  if (delivery === null) return null;
  const { key, createdAt } = delivery;
  return {
    ...idsOf(key),
    created_at: timestamp(createdAt),
    age_seconds: Math.round((at - createdAt) / 1000),
  };
}

/** The states of deliveries in the order of the table, with what each means. */
const meanings: Readonly<Record<DeliveryStatus | Progress, string>> = {
  delivered: 'the endpoint acknowledged it',
  failed: 'no attempt is left, or the endpoint was deleted',
  pending: 'not finished; of these:',
  in_flight: 'an attempt is under way',
  waiting: 'its timer or the sweep will continue it',
  overdue: 'the sweep should have continued it',
  queued: 'a message on a queue will continue it',
  stranded: 'nothing will continue it',
};

function describeAudit(audit: Audit, at: number, invocation: AuditInvocation): readonly string[] {
  const counts: Readonly<Record<string, number>> = { ...audit.deliveries, ...audit.pending };
  const rows = Object.entries(meanings).map(([state, meaning]) => [state, counts[state] ?? 0, meaning]);
  return [
    `Deliveries created since ${timestamp(audit.from)}`,
    ...textTable(['STATE', 'DELIVERIES', 'MEANING'], rows),
    `Oldest pending: ${describeOldest(audit.oldestPending, at)}`,
    `Oldest stranded: ${describeOldest(audit.oldestStranded, at)}`,
    nextStep(audit, invocation),
    ...describeStalled(audit.stalledReplays, invocation),
  ];
}

function describeStalled(replays: readonly AuditedReplay[], { next }: AuditInvocation): readonly string[] {
  if (replays.length === 0) return [];
  const lines = replays.map(({ key: { id, webhookId, customerId }, lastStepAt }) => {
    const cancel = next(`replay cancel ${id} --customer ${customerId}`);
    return `Stalled: bulk replay ${id} of ${webhookId}, without a step since ${timestamp(lastStepAt)}. Cancel it with: ${cancel}`;
  });
  const redrive = next('dead-letters redrive --queue replay');
  return [...lines, `Or let those go on whose messages are dead letters: ${redrive}`];
}

function describeOldest(delivery: AuditedDelivery | null, at: number): string {
  if (delivery === null) return 'none';
  return `${delivery.key.id} of ${delivery.key.webhookId}, ${duration(at - delivery.createdAt)} old`;
}

function nextStep({ pending, requeued }: Audit, { options, next }: AuditInvocation): string {
  if (pending.stranded === 0) return 'Every pending delivery will continue';
  if (options.wake === true) return `Handed ${requeued} to the sweep, which runs every five minutes`;
  return `Hand them to the sweep: ${next(`audit --hours ${options.hours} --wake`)}`;
}
