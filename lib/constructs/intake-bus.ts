import { type Duration, type RemovalPolicy, Token, Validations } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventBusPolicy, EventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountPrincipal, ArnPrincipal, type IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { busEvent } from '#shared/contract/messages/bus-event.ts';
import { makeDeadLetters } from './queue-with-dead-letters.ts';

export type IntakeBusProps = {
  readonly busName: string;
  readonly intake: Queue;
  /** What happens to the dead letters when the stack or the bus is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /** Principals of other accounts that may put events; those of this account need a policy of their own. */
  readonly producers: readonly string[];
};

/**
 * An EventBridge bus whose events lead to the intake queue. EventBridge sends the `detail` of an event as the message,
 * so a message by the bus equals one that is sent to the queue, except that it has no message group: a rule can only
 * set a fixed one, and all customers in one group would be worse for the others than each message on its own.
 */
export class IntakeBus extends Construct {
  readonly bus: EventBus;
  /** Events that EventBridge could not send to the intake queue. Without a queue for them, it would drop them. */
  readonly deadLetters: Queue;

  /**
   * Given, not generated: alarms of another stack name them, which must not read outputs that disappear with the bus.
   * The `Ref` of a rule would also be `bus|rule`, which is a dimension of no metric.
   */
  private readonly names: Readonly<Record<'bus' | 'rule' | 'deadLetters', string>>;

  constructor(scope: Construct, id: string, props: IntakeBusProps) {
    super(scope, id);
    const { busName, intake, producers } = props;
    this.names = {
      bus: busName,
      rule: `${busName}-intake`,
      deadLetters: `${busName}-event-bus-dead-letters`,
    };
    this.deadLetters = makeDeadLetters(this, props, this.names.deadLetters);
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is the dead-letter queue of an EventBridge rule; the check knows only those of queues',
    });
    this.bus = new EventBus(this, 'Bus', { eventBusName: busName });
    new Rule(this, 'ToIntake', {
      ruleName: this.names.rule,
      description: 'Sends the detail of each event to the intake queue',
      eventBus: this.bus,
      eventPattern: { source: [busEvent.source], detailType: [busEvent.detailType] },
      targets: [
        new SqsQueue(intake, {
          message: RuleTargetInput.fromEventPath('$.detail'),
          deadLetterQueue: this.deadLetters,
        }),
      ],
    });
    if (producers.length > 0) this.allow(producers);
  }

  /** Events that EventBridge gave up on, whether or not it could send them to the dead-letter queue. */
  failedInvocations(period: Duration): IMetric {
    return new Metric({
      namespace: 'AWS/Events',
      metricName: 'FailedInvocations',
      dimensionsMap: { EventBusName: this.names.bus, RuleName: this.names.rule },
      statistic: 'sum',
      period,
    });
  }

  deadLetterCount(period: Duration): Metric {
    return new Metric({
      namespace: 'AWS/SQS',
      metricName: 'ApproximateNumberOfMessagesVisible',
      dimensionsMap: { QueueName: this.names.deadLetters },
      statistic: 'max',
      period,
    });
  }

  /** Only the events that the rule matches, so that nobody pays for events that go nowhere. */
  private allow(producers: readonly string[]): void {
    const statement = new PolicyStatement({
      principals: principalsOf(producers),
      actions: ['events:PutEvents'],
      resources: [this.bus.eventBusArn],
      conditions: {
        StringEquals: { 'events:source': busEvent.source, 'events:detail-type': busEvent.detailType },
      },
    });
    new CfnEventBusPolicy(this, 'Producers', {
      eventBusName: this.bus.eventBusName,
      statementId: 'Producers',
      statement: statement.toStatementJson(),
    });
  }
}

/** @param names account ids, or ARNs of roles and accounts */
export function principalsOf(names: readonly string[]): IPrincipal[] {
  const isArn = (name: string) => name.startsWith('arn:') || Token.isUnresolved(name);
  return names.map((name) => (isArn(name) ? new ArnPrincipal(name) : new AccountPrincipal(name)));
}
