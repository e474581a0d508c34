import { Token } from 'aws-cdk-lib';

const account = String.raw`\d{12}`;
const region = '[a-z0-9-]+';

const topic = new RegExp(String.raw`^arn:aws[a-z-]*:sns:${region}:${account}:[\w-]{1,256}$`);
const bus = new RegExp(String.raw`^arn:aws[a-z-]*:events:${region}:${account}:event-bus/[\w./-]+$`);

/**
 * An SNS topic, which another construct of the app may make. The name of a FIFO topic ends with `.fifo`, and neither
 * alarms nor pipes can send to one.
 */
export function isTopicArn(text: string): boolean {
  return topic.test(text) || Token.isUnresolved(text);
}

/** Where notices go: nowhere, to a target that is created, or to one that exists. */
export function isNoticeTarget(text: string): boolean {
  // Not of another construct: a pipe sends to a bus in another way than to a topic.
  return ['none', 'topic', 'bus'].includes(text) || bus.test(text) || topic.test(text);
}

const producer = new RegExp(
  String.raw`^(${account}|arn:aws[a-z-]*:iam::${account}:(root|role/([\w+=,.@-]+/)*[\w+=,.@-]{1,64}))$`,
);

/** Named principals only: no user, whose access keys do not expire, and no wildcard. */
export function isProducer(text: string): boolean {
  return producer.test(text) || Token.isUnresolved(text);
}

const policy = new RegExp(
  String.raw`^(arn:aws[a-z-]*:iam::(${account}|aws):policy/([\w+=,.@-]+/)*)?[\w+=,.@-]{1,128}$`,
);

/** A managed policy, by name or ARN. */
export function isPolicy(text: string): boolean {
  return policy.test(text) || Token.isUnresolved(text);
}

const vault = new RegExp(String.raw`^arn:aws[a-z-]*:backup:${region}:${account}:backup-vault:[\w-]{2,50}$`);

export function isVault(text: string): boolean {
  return vault.test(text) || Token.isUnresolved(text);
}

/** For messages about wrong settings. */
export const topicExample = 'arn:aws:sns:eu-central-1:123456789012:ops';
