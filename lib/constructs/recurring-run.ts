import { type Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

export type RecurringRunProps = {
  readonly description: string;
  readonly every: Duration;
  readonly run: LambdaFunction;
};

const nothingToReplay =
  'Every call is the same and carries no work: the next run makes up for a missed or failed one, so a lost call ' +
  'holds nothing to replay';

/**
 * Calls a function again and again. A call that is not made in time is dropped, because the next run does its work:
 * else the runs that a throttled function missed, up to six hours of them, would come at once.
 */
export class RecurringRun extends Rule {
  constructor(scope: Construct, id: string, { description, every, run }: RecurringRunProps) {
    super(scope, id, {
      description,
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(run, { retryAttempts: 0, maxEventAge: every })],
    });
    // From here on Lambda holds the call, with an age limit of its own. It still repeats a run that failed.
    run.configureAsyncInvoke({ maxEventAge: every });
    Validations.of(this).acknowledge({ id: 'Serverless-EventBusDLQ', reason: nothingToReplay });
    Validations.of(run).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: nothingToReplay,
    });
  }
}
