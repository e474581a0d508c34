import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export type QueueWithDeadLettersProps = {
  /** Timeout in seconds of the function that consumes the queue. */
  readonly consumerTimeout: number;
};

/** The factor that AWS recommends, so that a throttled batch is not received twice at once. */
const visibilityPerTimeout = 6;

/**
 * Counts receives, not failures: an outage of the service must not turn good messages into dead letters. With a
 * visibility timeout of three minutes this takes five hours. A consumer moves a message that can never succeed at once,
 * with the reason.
 */
const maxReceiveCount = 100;

/** A moved message keeps its age, so the dead-letter queue must retain messages longer than its source. */
const retention = Duration.days(4);
const deadLetterRetention = Duration.days(14);

/** A standard queue with its dead-letter queue. Both are encrypted and refuse unencrypted transport. */
export class QueueWithDeadLetters extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueueWithDeadLettersProps) {
    super(scope, id);
    const secure = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetters = new Queue(this, 'DeadLetters', { ...secure, retentionPeriod: deadLetterRetention });
    this.queue = new Queue(this, 'Queue', {
      ...secure,
      retentionPeriod: retention,
      visibilityTimeout: Duration.seconds(visibilityPerTimeout * props.consumerTimeout),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    Validations.of(this.deadLetters).acknowledge({
      id: 'Serverless-SQSRedrivePolicy',
      reason:
        'This is the dead-letter queue: nothing consumes it, and an alarm reports its first message, ' +
        'which a person redrives',
    });
  }
}
