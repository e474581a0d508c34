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
  'Every call is the same and carries no work: the next run covers for a missed or failed one, so there is ' +
  'nothing to replay';

/**
 * Calls a function at a fixed interval. A late call is dropped, because the next run does its work; otherwise a
 * throttled function would receive up to six hours of missed calls at once.
 */
export class RecurringRun extends Rule {
  constructor(scope: Construct, id: string, { description, every, run }: RecurringRunProps) {
    super(scope, id, {
      description,
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(run, { retryAttempts: 0, maxEventAge: every })],
    });
    // Lambda queues the call under its own age limit. It still retries a failed run.
    run.configureAsyncInvoke({ maxEventAge: every });
    Validations.of(this).acknowledge({ id: 'Serverless-EventBusDLQ', reason: nothingToReplay });
    Validations.of(run).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: nothingToReplay,
    });
  }
}
