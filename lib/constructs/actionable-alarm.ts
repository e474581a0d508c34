import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { RunbookAnchor } from '../runbook.ts';

export type ActionableAlarmProps = {
  readonly metric: IMetric;
  /** The alarm goes off at this value and above; or, when it is the `least` that is expected, below it. */
  readonly threshold: number | { readonly least: number };
  /** Periods of the metric that are looked at. Default 1. */
  readonly periods?: number;
  /** How many of them must be so. Default: all, in a row. */
  readonly breaching?: number;
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
      ...condition(props.threshold),
      evaluationPeriods: props.periods ?? 1,
      ...(props.breaching === undefined ? {} : { datapointsToAlarm: props.breaching }),
      alarmDescription: `[${props.severity}] ${props.summary}. What to do: docs/runbook.md#${props.runbook}`,
    });
    if (props.topic !== undefined) this.addAlarmAction(new SnsAction(props.topic));
  }
}

/** Where too much is alarming, no data is good news; where something is expected, it is not. */
function condition(threshold: ActionableAlarmProps['threshold']) {
  if (typeof threshold === 'number') {
    return {
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    };
  }
  return {
    threshold: threshold.least,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  };
}
