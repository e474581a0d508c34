import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { RunbookAnchor } from '../runbook.ts';

export type ActionableAlarmProps = {
  readonly metric: IMetric;
  /** The alarm goes off at this value and above. */
  readonly threshold: number;
  /** Periods of the metric in a row that must reach the threshold. Default 1. */
  readonly periods?: number;
  /** `page`: somebody has to act now. `ticket`: within the day. */
  readonly severity: 'page' | 'ticket';
  /** What is wrong, in one sentence without a final full stop. */
  readonly summary: string;
  /** Where docs/runbook.md says what to do. */
  readonly runbook: RunbookAnchor;
  readonly topic: ITopic | undefined;
};

/** An alarm that says how urgent it is and where to read what to do. */
export class ActionableAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: ActionableAlarmProps) {
    super(scope, id, {
      metric: props.metric,
      threshold: props.threshold,
      evaluationPeriods: props.periods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `[${props.severity}] ${props.summary}. What to do: docs/runbook.md#${props.runbook}`,
    });
    if (props.topic !== undefined) this.addAlarmAction(new SnsAction(props.topic));
  }
}
