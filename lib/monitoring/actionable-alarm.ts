import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export type AlarmProps = {
  readonly metric: IMetric;
  /** A number triggers the alarm at or above it; a `minimum` triggers the alarm below it. */
  readonly threshold: number | { readonly minimum: number };
  /** Number of periods to evaluate. Default: 1. */
  readonly periods?: number;
  /** Number of evaluated periods that must breach the threshold. Default: all. */
  readonly breaching?: number;
  /** `page`: act now. `ticket`: act within the day. */
  readonly severity: 'page' | 'ticket';
  /** The problem, in one sentence without a final period. */
  readonly summary: string;
  /** Anchor of the docs/runbook.md heading that explains how to respond. */
  readonly runbook: string;
};

/** Alarms by the id of their construct. */
export type Alarms = Readonly<Record<string, AlarmProps>>;

/** An alarm whose description names its severity and its runbook heading. */
export class ActionableAlarm extends Alarm {
  /** @param topic gets a message when the alarm begins and when it ends; `undefined`: both show in CloudWatch only */
  constructor(scope: Construct, id: string, props: AlarmProps, topic: ITopic | undefined) {
    super(scope, id, {
      metric: props.metric,
      ...condition(props.threshold),
      evaluationPeriods: props.periods ?? 1,
      ...(props.breaching === undefined ? {} : { datapointsToAlarm: props.breaching }),
      alarmDescription: `[${props.severity}] ${props.summary}. What to do: docs/runbook.md#${props.runbook}`,
    });
    if (topic === undefined) return;
    const action = new SnsAction(topic);
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}

/** Missing data never breaches an upper limit, and always breaches a minimum. */
function condition(threshold: AlarmProps['threshold']) {
  if (typeof threshold === 'number') {
    return {
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    };
  }
  return {
    threshold: threshold.minimum,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  };
}
