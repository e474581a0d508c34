import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { dashboardOutput } from '#shared/contract/deployment.ts';
import { eventsIn, eventsOut } from './dashboard/events.ts';
import { whatItCosts } from './dashboard/what-it-costs.ts';
import { whatWaits } from './dashboard/what-waits.ts';
import { whoFails } from './dashboard/who-fails.ts';
import type { WatchedStage } from './watched-stage.ts';

/** One page that shows the state of the alarms, then answers five questions about the stage in the order of its rows. */
export class DeliveryDashboard extends Dashboard {
  constructor(scope: Construct, id: string, stage: WatchedStage, alarms: readonly IAlarm[]) {
    const { region } = Stack.of(scope);
    // Dashboards are global in an account: another Region may have a stage of the same name.
    const name = `webhooks-${stage.metrics.stage}-${region}`;
    super(scope, id, {
      dashboardName: name,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 })],
        ...[eventsIn, eventsOut, whoFails, whatWaits, whatItCosts].flatMap((section) => section(stage)),
      ],
    });
    const page = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;
    new CfnOutput(Stack.of(this), dashboardOutput, { value: `${page}#dashboards/dashboard/${name}` });
  }
}
