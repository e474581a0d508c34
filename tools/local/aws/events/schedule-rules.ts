import { randomUUID } from 'node:crypto';
import type { ScheduledEvent } from 'aws-lambda';
import type { ScheduleRule } from '../../template/function-model.ts';
import { localAccount, localRegion } from '../../template/identities.ts';

/**
 * Fires the rules at a fixed rate, first after one interval. Skips a run while the previous run of the same rule is
 * still in progress.
 */
export function startScheduleRules(options: {
  readonly rules: readonly ScheduleRule[];
  /** Factor that shortens every interval. */
  readonly timeScale: number;
  /** Milliseconds. Keeps a rule from overloading the machine when the time scale is high. */
  readonly minInterval: number;
  readonly invoke: (functionArn: string, event: ScheduledEvent) => Promise<unknown>;
}) {
  const running = new Map<ScheduleRule, Promise<unknown>>();
  const fire = (rule: ScheduleRule) => {
    if (running.has(rule)) return;
    const run = options
      .invoke(rule.functionArn, scheduledEvent(rule.arn, new Date()))
      .finally(() => running.delete(rule));
    running.set(rule, run);
  };
  const timers = options.rules.map((rule) => {
    const intervalMs = Math.max(options.minInterval, (rule.intervalSeconds * 1_000) / options.timeScale);
    return setInterval(() => fire(rule), intervalMs);
  });
  return {
    /** Stops firing, and resolves when the invocations in flight are done. */
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.allSettled(running.values());
    },
  };
}

function scheduledEvent(ruleArn: string, now: Date): ScheduledEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: localAccount,
    time: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    region: localRegion,
    resources: [ruleArn],
    detail: {},
  };
}
