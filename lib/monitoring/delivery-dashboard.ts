import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, type IAlarm, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { dashboardOutput } from '#shared/contract/deployment.ts';
import type { NamedTable } from './alarms/table-alarms.ts';
import { type ApiMetrics, eventsIn } from './dashboard/events-in.ts';
import { eventsOut } from './dashboard/events-out.ts';
import { type MeasuredFunctions, whatItCosts } from './dashboard/what-it-costs.ts';
import { type NamedQueues, whatWaits } from './dashboard/what-waits.ts';
import { type DashboardLogs, whoFails } from './dashboard/who-fails.ts';
import type { ServiceMetrics } from './service-metrics.ts';

export type DeliveryDashboardProps = {
  readonly metrics: ServiceMetrics;
  readonly alarms: readonly IAlarm[];
  readonly api: ApiMetrics;
  /** The queue that the Run engine sends to. */
  readonly intake: IQueue;
  readonly queues: NamedQueues;
  /** Number of messages in each dead-letter queue. */
  readonly deadLetters: readonly IMetric[];
  readonly table: NamedTable;
  /** The functions that run without a request to the API. */
  readonly functions: MeasuredFunctions;
  readonly logs: DashboardLogs;
};

/** One page that shows the state of the alarms, then answers five questions about the stage in the order of its rows. */
export class DeliveryDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: DeliveryDashboardProps) {
    const { metrics, alarms, api, intake, queues, deadLetters, table, functions, logs } = props;
    const { region } = Stack.of(scope);
    // Dashboards are global in an account: another Region may have a stage of the same name.
    const name = `webhooks-${metrics.stage}-${region}`;
    super(scope, id, {
      dashboardName: name,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 })],
        ...eventsIn(metrics, intake, api),
        ...eventsOut(metrics),
        ...whoFails(metrics, logs),
        ...whatWaits(metrics, queues, deadLetters),
        ...whatItCosts({ table, functions, logs, queues }),
      ],
    });
    const page = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;
    new CfnOutput(Stack.of(this), dashboardOutput, { value: `${page}#dashboards/dashboard/${name}` });
  }
}
