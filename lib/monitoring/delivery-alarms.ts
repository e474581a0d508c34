import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { IntakeBus } from '../constructs/intake-bus.ts';
import { ActionableAlarm } from './actionable-alarm.ts';
import { AlarmTopic } from './alarm-topic.ts';
import type { AddAlarm } from './alarms/add-alarm.ts';
import { type WatchedApi, watchApi } from './alarms/api-alarms.ts';
import { watchAttempts } from './alarms/attempt-alarms.ts';
import { watchBus } from './alarms/bus-alarms.ts';
import { type Consumers, type Recurring, watchConsumers } from './alarms/function-alarms.ts';
import { type WatchedQueues, watchQueues } from './alarms/queue-alarms.ts';
import { watchAudit, watchSweep } from './alarms/recurring-alarms.ts';
import { type NamedTable, watchTable } from './alarms/table-alarms.ts';
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

  constructor(scope: Construct, id: string, props: DeliveryAlarmsProps) {
    super(scope, id);
    const topic: ITopic | undefined =
      props.email === undefined ? undefined : new AlarmTopic(this, 'Topic', props.email);
    const all: IAlarm[] = [];
    const add: AddAlarm = (name, alarm) => {
      all.push(new ActionableAlarm(this, name, { ...alarm, topic }));
    };
    this.all = all;
    const { metrics } = props;
    watchAttempts(add, metrics);
    watchQueues(add, metrics, props.queues);
    watchConsumers(add, props.consumers);
    watchApi(add, props.api);
    watchTable(add, props.table);
    watchSweep(add, props.sweep, metrics);
    watchAudit(add, props.audit, metrics);
    if (props.bus !== undefined) watchBus(add, props.bus);
  }
}
