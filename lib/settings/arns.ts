import { Token } from 'aws-cdk-lib';

const account = String.raw`\d{12}`;
const region = '[a-z0-9-]+';
const path = String.raw`([\w+=,.@-]+/)*`;

const topic = new RegExp(String.raw`^arn:aws[a-z-]*:sns:${region}:${account}:[\w-]{1,256}$`);
const bus = new RegExp(String.raw`^arn:aws[a-z-]*:events:${region}:${account}:event-bus/[\w./-]+$`);
const producer = new RegExp(
  String.raw`^(${account}|arn:aws[a-z-]*:iam::${account}:(root|role/${path}[\w+=,.@-]{1,64}))$`,
);
const policy = new RegExp(String.raw`^(arn:aws[a-z-]*:iam::(${account}|aws):policy/${path})?[\w+=,.@-]{1,128}$`);
const vault = new RegExp(String.raw`^arn:aws[a-z-]*:backup:${region}:${account}:backup-vault:[\w-]{2,50}$`);

/** What another construct of the app makes has no value yet. */
const isOrWillBe = (form: RegExp) => (text: string) => form.test(text) || Token.isUnresolved(text);

/** An SNS topic. The name of a FIFO topic ends with `.fifo`, and neither alarms nor pipes can send to one. */
export const isTopicArn = isOrWillBe(topic);

/** Named principals only: no user, whose access keys do not expire, and no wildcard. */
export const isProducer = isOrWillBe(producer);

/** A managed policy, by name or ARN. */
export const isPolicy = isOrWillBe(policy);

export const isVault = isOrWillBe(vault);

/** Where notices go: nowhere, to a target that is created, or to one that exists. */
export function isNoticeTarget(text: string): boolean {
  // Not of another construct: a pipe sends to a bus in another way than to a topic.
  return ['none', 'topic', 'bus'].includes(text) || bus.test(text) || topic.test(text);
}

/** For messages about wrong settings. */
export const topicExample = 'arn:aws:sns:eu-central-1:123456789012:ops';
