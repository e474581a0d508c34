import type { Duration, Stack } from 'aws-cdk-lib';
import type { ServiceFunction } from '../constructs/service-function.ts';
import { period } from '../monitoring/dashboard/section.ts';
import { visibleMessages } from '../monitoring/dashboard/what-waits.ts';
import { DeliveryAlarms } from '../monitoring/delivery-alarms.ts';
import { DeliveryDashboard, type DeliveryDashboardProps } from '../monitoring/delivery-dashboard.ts';
import { ServiceMetrics } from '../monitoring/service-metrics.ts';
import type { Config } from '../settings/config.ts';
import type { ApiStack } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';

/** A function and the time between two runs of it. */
export type RecurringFunction = { readonly run: ServiceFunction; readonly every: Duration };

export type MonitoringProps = {
  readonly config: Config;
  readonly data: DataStack;
  readonly api: ApiStack;
  /** The functions that take messages from the queues. */
  readonly consumers: Readonly<Record<'intake' | 'deliver' | 'deliverSlow' | 'replay', ServiceFunction>>;
  readonly recurring: Readonly<Record<'sweep' | 'audit', RecurringFunction>>;
};

/** Adds the alarms of a stage, and the dashboard unless the settings turn it off. */
export function addMonitoring(stack: Stack, props: MonitoringProps): void {
  const { config, data, api, consumers, recurring } = props;
  const metrics = new ServiceMetrics(config.stage);
  const alarms = new DeliveryAlarms(stack, 'Alarms', {
    metrics,
    email: config.alarmEmail,
    queues: data,
    api,
    table: data.table,
    bus: data.bus,
    consumers,
    ...recurring,
  });
  if (!config.dashboard) return;
  new DeliveryDashboard(stack, 'Dashboard', {
    metrics,
    alarms: alarms.all,
    api: api.metrics(period),
    table: data.table,
    ...queuesOf(data),
    ...functionsOf(props),
  });
}

function queuesOf({
  intake,
  delivery,
  slowDelivery,
  replay,
  bus,
}: DataStack): Pick<DeliveryDashboardProps, 'intake' | 'queues' | 'deadLetters'> {
  return {
    intake: intake.queue,
    queues: {
      Intake: intake.queue,
      Delivery: delivery.queue,
      'Slow delivery': slowDelivery.queue,
      Replay: replay.queue,
    },
    deadLetters: [
      visibleMessages(intake.deadLetters, 'Intake'),
      visibleMessages(delivery.deadLetters, 'Delivery'),
      visibleMessages(replay.deadLetters, 'Replay'),
      ...(bus === undefined ? [] : [bus.deadLetterCount(period).with({ label: 'Event bus' })]),
    ],
  };
}

function functionsOf({
  consumers,
  recurring,
  api,
}: MonitoringProps): Pick<DeliveryDashboardProps, 'functions' | 'logs'> {
  const functions = { ...consumers, sweep: recurring.sweep.run, audit: recurring.audit.run };
  return {
    functions,
    logs: {
      intake: consumers.intake.logGroup,
      attempts: [consumers.deliver.logGroup, consumers.deliverSlow.logGroup],
      functions: Object.values(functions).map(({ logGroup }) => logGroup),
      access: api.accessLogName(),
    },
  };
}
