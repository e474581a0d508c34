import { Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { earlyReturns } from '#shared/contract/returned-messages.ts';
import { queueFunctionTimeout } from '../functions/function-settings.ts';

export type QueueWithDeadLettersProps = DeadLettersProps & {
  /** Seconds for which a batch is collected before the function begins. Default: 0. */
  readonly batchWindow?: number;
  /** The dead-letter queue of another queue with the same messages. Default: a queue of its own. */
  readonly deadLetters?: Queue;
};

type DeadLettersProps = {
  /** What happens to the dead letters when the stack is deleted. The messages of the queue itself are work, not evidence. */
  readonly removalPolicy: RemovalPolicy;
};

/**
 * Visibility timeout as a multiple of the consumer's timeout, in addition to the batch window. AWS recommends both, so
 * that a throttled batch is not received a second time while it is retried.
 */
const visibilityPerTimeout = 6;

/**
 * SQS counts receives, not failures, and an outage must not turn good messages into dead letters, so the limit is high:
 * after the early returns, 100 receives take five hours with a visibility timeout of three minutes. A consumer moves a
 * message that can never succeed to the dead-letter queue immediately, with the reason.
 */
const maxReceiveCount = earlyReturns + 100;

/** A moved message keeps its age, so the dead-letter queue must retain messages longer than its source. */
const retention = Duration.days(4);
const deadLetterRetention = Duration.days(14);

const secure = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

/** A standard queue with its dead-letter queue. Both are encrypted and refuse unencrypted transport. */
export class QueueWithDeadLetters extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueueWithDeadLettersProps) {
    super(scope, id);
    this.deadLetters = props.deadLetters ?? makeDeadLetters(this, props);
    this.queue = new Queue(this, 'Queue', {
      ...secure,
      retentionPeriod: retention,
      visibilityTimeout: Duration.seconds(visibilityPerTimeout * queueFunctionTimeout + (props.batchWindow ?? 0)),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }
}

/** A dead-letter queue, which nothing consumes. @param queueName default: a generated name */
export function makeDeadLetters(scope: Construct, { removalPolicy }: DeadLettersProps, queueName?: string): Queue {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...secure,
    retentionPeriod: deadLetterRetention,
    removalPolicy,
    ...(queueName === undefined ? {} : { queueName }),
  });
  Validations.of(deadLetters).acknowledge({
    id: 'Serverless-SQSRedrivePolicy',
    reason:
      'This is the dead-letter queue: nothing consumes it, and an alarm reports its first message, ' +
      'which an operator redrives',
  });
  return deadLetters;
}
