import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export type QueueWithDeadLettersProps = {
  /** Timeout in seconds of the function that consumes the queue. */
  readonly consumerTimeout: number;
};

/** The share that AWS recommends, so that a throttled batch is not handed out twice at once. */
const visibilityPerTimeout = 6;

/**
 * Receives, not failures: an outage of our own must not push good messages out. With three minutes of
 * visibility this is five hours. What can never succeed is moved by its consumer at once, with the reason.
 */
const maxReceiveCount = 100;

/** A moved message keeps its age, so the dead-letter queue has to keep messages longer than its source. */
const retention = Duration.days(4);
const deadLetterRetention = Duration.days(14);

/** A standard queue with its dead-letter queue, both encrypted and closed to unencrypted transport. */
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
        'This is the dead-letter queue: nothing consumes it, and an alarm tells of its first message, ' +
        'which a human redrives',
    });
  }
}
