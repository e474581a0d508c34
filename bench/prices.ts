/**
 * AWS list prices in us-east-1, in US dollars for one unit, without free tiers, volume tiers and taxes. AWS renders its
 * price pages by script, so each price names a page that quotes it, with the date of that page.
 */

const million = 1_000_000;
const gigabyte = 1_000_000_000;

/** Hours in a month, as AWS counts them on its price pages. */
export const hoursPerMonth = 730;

export const dynamodb = {
  // https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025, after the cut of November 2024) and
  // https://costpatrol.io/blog/dynamodb-on-demand-vs-provisioned-pricing (2026)
  onDemand: {
    /** A write of 1 KB; a transactional write takes two. */
    writeUnit: 0.625 / million,
    /** A strongly consistent read of 4 KB; an eventually consistent read takes half. */
    readUnit: 0.125 / million,
  },
  // https://costpatrol.io/blog/dynamodb-on-demand-vs-provisioned-pricing (2026)
  provisioned: {
    /** One write of 1 KB a second, for an hour, used or not. */
    writeUnitHour: 0.000_65,
    /** One strongly consistent read of 4 KB a second, for an hour, used or not. */
    readUnitHour: 0.000_13,
  },
  // https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025)
  storageGbMonth: 0.25,
} as const;

export const sqs = {
  // https://cloudburn.io/blog/amazon-sqs-pricing (March 2026): the first 100 billion of a month. A request moves up to
  // ten messages and 64 KB; each further 64 KB counts as a request.
  request: 0.4 / million,
  // The same page, not confirmed by AWS's own: added to a request whose messages carry a message group.
  fairRequest: 0.1 / million,
} as const;

export const lambda = {
  // https://raw.githubusercontent.com/api-evangelist/aws-lambda/refs/heads/main/plans/aws-lambda-plans-pricing.yml
  // (September 2026)
  request: 0.2 / million,
  /** A gigabyte of memory for a second, on arm64. Lambda bills whole milliseconds. */
  gbSecond: 0.000_013_333_4,
  // https://edjgeek.com/blog/lambda-managed-instances/ (2026): on top of the price of the EC2 instance; requests cost
  // the same as without.
  managedInstanceFee: 0.15,
} as const;

export const ec2 = {
  // https://www.factualminds.com/blog/amazon-ec2-on-demand-pricing-instance-families-2026/ (June 2026)
  /** m7g.large: two vCPUs of arm64 and 8 GB. */
  m7gLargeHour: 0.0816,
} as const;

export const scheduler = {
  // https://cloudburn.io/blog/amazon-eventbridge-pricing (March 2026). A schedule costs nothing until it fires.
  invocation: 1 / million,
} as const;

export const kms = {
  // https://cloudburn.io/blog/aws-kms-pricing (March 2026)
  request: 0.03 / 10_000,
  keyMonth: 1,
} as const;

export const cloudwatch = {
  // https://c3x.dev/blog/cloudwatch-logs-cost-optimization (June 2026): standard log class. Lambda's logs cost less only
  // above 10 TB a month.
  logByte: 0.5 / gigabyte,
  logGbMonth: 0.03,
  // https://aws.amazon.com/cloudwatch/pricing/ (standard resolution). Each metric of an alarm counts. The first three
  // dashboards of an account are free while they have at most 50 metrics each.
  // The first 10,000 custom metrics of an account. Each hour without a value costs nothing.
  customMetricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
} as const;

export const apiGateway = {
  // https://raw.githubusercontent.com/api-evangelist/amazon-web-services (September 2026): REST API, the first 333
  // million of a month
  restRequest: 3.5 / million,
} as const;

export const internet = {
  // https://unanswered.io/guide/aws-sqs-pricing-and-cost-optimization (2026): data transfer out, the first 10 TB
  egressByte: 0.09 / gigabyte,
} as const;
