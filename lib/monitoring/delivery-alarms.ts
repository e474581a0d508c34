import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { IntakeBus } from '../constructs/intake-bus.ts';
import { ActionableAlarm, type Alarms } from './actionable-alarm.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { apiAlarms, type WatchedApi } from './alarms/api-alarms.ts';
import { attemptAlarms } from './alarms/attempt-alarms.ts';
import { busAlarms } from './alarms/bus-alarms.ts';
import { type Consumers, consumerAlarms } from './alarms/function-alarms.ts';
import { queueAlarms, type WatchedQueues } from './alarms/queue-alarms.ts';
import { auditAlarms, type Recurring, sweepAlarms } from './alarms/recurring-alarms.ts';
import { type NamedTable, tableAlarms } from './alarms/table-alarms.ts';
import type { ServiceMetrics } from './service-metrics.ts';

export type DeliveryAlarmsProps = {
  readonly metrics: ServiceMetrics;
  /** Address that receives the alarms. `undefined`: alarms show in CloudWatch only. */
  readonly email: string | undefined;
  readonly queues: WatchedQueues;
  readonly sweep: Recurring;
  readonly audit: Recurring;
  readonly consumers: Consumers;
  readonly api: WatchedApi;
  readonly table: NamedTable;
  readonly bus: IntakeBus | undefined;
};

/** The alarms of a stage: about attempts, queues, functions, the API, the table, the sweep and the audit. */
export class DeliveryAlarms extends Construct {
  readonly all: readonly IAlarm[];

  constructor(scope: Construct, id: string, { metrics, email, bus, ...props }: DeliveryAlarmsProps) {
    super(scope, id);
    const topic = email === undefined ? undefined : new AlarmTopic(this, 'Topic', email);
    const alarms: Alarms = {
      ...attemptAlarms(metrics),
      ...queueAlarms(metrics, props.queues),
      ...consumerAlarms(props.consumers),
      ...apiAlarms(props.api),
      ...tableAlarms(props.table),
      ...sweepAlarms(props.sweep, metrics),
      ...auditAlarms(props.audit, metrics),
      ...(bus === undefined ? {} : busAlarms(bus)),
    };
    this.all = Object.entries(alarms).map(([name, alarm]) => new ActionableAlarm(this, name, alarm, topic));
  }
}
