import { isIPv4 } from 'node:net';
import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { defaultPlatforms } from '#shared/contract/platforms.ts';
import { isAddress, isIssuer, isServiceAddress, isSupportLink } from './addresses.ts';
import { isNoticeTarget, isPolicy, isProducer, isTopicArn, isVault, topicExample } from './arns.ts';
import { withProfile } from './profiles.ts';

/** Concurrent functions of a queue. With pollers of its own, Lambda has more; they then hold at most 100,000 messages. */
export const queueConcurrency = { min: 2, max: 1_000, maxWithPollers: 10_000 } as const;

/** Concurrent executions that the functions of the four queues must leave to the API, the sweep and the audit. */
export const leftToApi = 2;

/**
 * At the minimum, provisioned capacity costs what two to three events a second cost on demand. The maximum bounds the
 * bill; a new on-demand table takes as many writes. docs/scaling.md has the arithmetic.
 */
export const defaultCapacity = { min: 25, max: 4_000, utilization: 70 } as const;

/** One for each zone of the network. Every Region has two, and lowering the number removes no subnet that is in use. */
export const maxFixedAddresses = 2;

/** Units a second that every table and index takes at once. */
export const defaultWarm = { reads: 12_000, writes: 4_000 } as const;

/** A setting without a default. */
const optional = <Schema extends z.ZodType>(schema: Schema, form: string) => schema.optional().describe(form);

const text = (form: RegExp) => z.string().regex(form);

/** What another construct makes has no value yet. */
const madeByCdk = z.string().refine((value) => Token.isUnresolved(value));

/** A list, or its items separated by commas: the command line passes text. */
const list = (isItem: (item: string) => boolean) =>
  z
    .union([z.array(z.string()), z.string().transform((text) => text.split(','))])
    .refine((items) => items.every(isItem));
const listForm = 'separated by commas without spaces';

/** A number, or its digits: the command line passes text. */
const number = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]);

const wholeNumber = (min: number, max: number) =>
  number.refine((count) => Number.isInteger(count) && count >= min && count <= max);

/** A boolean, or its name. */
const flagOf = (yes: string, no: string) =>
  z.union([z.boolean(), z.enum([yes, no]).transform((choice) => choice === yes)]);
const flag = flagOf('true', 'false');
const flagForm = 'true or false';

/** @param more further conditions of the number */
const optionalCount = (min: number, max: number, more = '') =>
  optional(wholeNumber(min, max), `a whole number from ${min} to ${max}${more}`);

const ifProvisioned = 'together with tableCapacity=provisioned';
const capacityUnits = (bound: string) => optionalCount(1, 1_000_000, `, ${bound}, ${ifProvisioned}`);

const address = optional(
  z.string().refine(isServiceAddress),
  'an https address without query, fragment or trailing slash (http for loopback only)',
);

const logRetentions = Object.values(RetentionDays).filter(isFiniteRetention);

/** Without a wildcard: a page of any host of the domain could show the console. */
const origin = /^https:\/\/([a-z0-9-]+\.)*[a-z0-9-]+(:\d{1,5})?$/;

const imageFile = optional(
  text(/^[\w-]+(\.[\w-]+)*\.svg$/),
  'the name of an SVG file in the folder stages, such as acme.svg',
);
const color = optional(
  text(/^#[0-9a-f]{6}$/i).transform((value) => value.toLowerCase()),
  'a colour such as #4338ca',
);

const link = optional(
  z.string().refine(isSupportLink),
  'an https address or a mailto link, such as mailto:help@example.com',
);

/** Every setting, with its default; service-props.ts says what each means. Its description is the form of a valid value. */
export const settings = z.object({
  stage: text(/^[a-z][a-z0-9-]{0,19}$/)
    .default('dev')
    .describe('a lower-case letter, then up to 19 lower-case letters, digits or hyphens'),
  serviceName: text(/^[A-Za-z][A-Za-z0-9-]{0,39}$/)
    .default('Service')
    .describe('a letter, then up to 39 letters, digits or hyphens'),
  standardWebhooks: flag.default(true).describe(flagForm),
  baseUrl: address,
  docsUrl: address,
  retainData: optional(flag, flagForm),
  throwAway: optional(flag, flagForm),
  removalPolicy: optional(
    z.enum([RemovalPolicy.RETAIN, RemovalPolicy.DESTROY]),
    `${RemovalPolicy.RETAIN} or ${RemovalPolicy.DESTROY}`,
  ),
  supportedPlatforms: list((name) => /^[a-z0-9_]+$/.test(name))
    .refine((names) => names.length > 0)
    .default([...defaultPlatforms])
    .describe(`lower-case names, ${listForm}`),
  alarmEmail: optional(
    z.union([z.email(), z.string().refine(isTopicArn)]),
    `an email address, or the ARN of an SNS topic (not FIFO), such as ${topicExample}`,
  ),
  dashboard: flag.default(true).describe(flagForm),
  logRetentionDays: number
    .refine((days) => logRetentions.includes(days))
    .default(RetentionDays.ONE_MONTH)
    .describe(`one of ${logRetentions.join(', ')}`),
  domainName: optional(
    text(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/),
    'a host name in lower case, such as api.example.com',
  ),
  certificateArn: optional(
    text(/^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/).or(madeByCdk),
    'the ARN of a certificate in AWS Certificate Manager',
  ),
  hostedZoneId: optional(
    text(/^Z[A-Z0-9]{1,31}$/).or(madeByCdk),
    'the id of a Route 53 hosted zone, such as Z0123456789ABCDEFGHIJ',
  ),
  keepGatewayAddress: flag.default(false).describe(flagForm),
  consoleFrameAncestors: list((each) => origin.test(each))
    .default([])
    .describe(`https origins, ${listForm}, such as https://portal.example.com`),
  brandName: optional(text(/^[^\s\p{C}]([^\p{C}]{0,38}[^\s\p{C}])?$/u), 'a text of 1 to 40 characters'),
  brandLogo: imageFile,
  brandLogoDark: imageFile,
  brandFavicon: imageFile,
  brandAccent: color,
  brandAccentDark: color,
  supportLink: link,
  docsEditUrl: address,
  docsFeedbackUrl: link,
  concurrentExecutions: optionalCount(4 * queueConcurrency.min + leftToApi, 1_000_000),
  deliveryConcurrency: optionalCount(
    queueConcurrency.min,
    queueConcurrency.maxWithPollers,
    `, at most ${queueConcurrency.max} without queuePollers`,
  ),
  slowDeliveryConcurrency: optionalCount(queueConcurrency.min, queueConcurrency.max),
  queuePollers: optionalCount(2, 200),
  deliveryMemory: optional(wholeNumber(256, 1_769), 'a whole number of megabytes from 256 to 1769'),
  profile: z.enum(['economy', 'balanced', 'fast']).default('fast').describe('economy, balanced or fast'),
  batchWindow: optional(wholeNumber(0, 10), 'a whole number of seconds from 0 to 10'),
  tableCapacity: optional(z.enum(['on-demand', 'provisioned']), 'on-demand or provisioned'),
  tableReadMin: capacityUnits(`at most tableReadMax (default ${defaultCapacity.max})`),
  tableReadMax: capacityUnits(`at least tableReadMin (default ${defaultCapacity.min})`),
  tableWriteMin: capacityUnits(`at most tableWriteMax (default ${defaultCapacity.max})`),
  tableWriteMax: capacityUnits(`at least tableWriteMin (default ${defaultCapacity.min})`),
  warmReads: optionalCount(defaultWarm.reads, 10_000_000),
  warmWrites: optionalCount(defaultWarm.writes, 10_000_000),
  tableUtilization: optional(wholeNumber(20, 90), `a percentage from 20 to 90, ${ifProvisioned}`),
  producers: list(isProducer)
    .refine((names) => new Set(names).size === names.length)
    .default([])
    .describe(
      `account ids or ARNs of roles, ${listForm}, such as 123456789012,arn:aws:iam::123456789012:role/run-engine`,
    ),
  eventBus: flagOf('create', 'none').default(false).describe('none or create'),
  notices: z
    .string()
    .refine(isNoticeTarget)
    .transform((target) => (target === 'none' ? undefined : target))
    .prefault('none')
    .describe(
      `none, topic, bus, or the ARN of an SNS topic (not FIFO) or of an EventBridge bus, such as ${topicExample}`,
    ),
  noticeAfter: wholeNumber(1, 20).default(3).describe('a whole number from 1 to 20'),
  fixedAddresses: wholeNumber(0, maxFixedAddresses)
    .default(0)
    .describe(`a whole number from 0 to ${maxFixedAddresses}`),
  vpcId: optional(text(/^vpc-[0-9a-f]{8,17}$/).or(madeByCdk), 'the id of a VPC, such as vpc-0123456789abcdef0'),
  subnetIds: optional(
    list((id) => /^subnet-[0-9a-f]{8,17}$/.test(id) || Token.isUnresolved(id)).refine((ids) => ids.length > 0),
    `ids of private subnets of vpcId, ${listForm}, such as subnet-0123456789abcdef0`,
  ),
  vpcAddresses: optional(
    list((address) => isIPv4(address) || Token.isUnresolved(address)),
    `public IPv4 addresses, ${listForm}, such as 203.0.113.7`,
  ),
  permissionsBoundary: optional(
    z.string().refine(isPolicy),
    'the name or the ARN of a policy, such as arn:aws:iam::123456789012:policy/boundary',
  ),
  tracing: z.enum(['none', 'active']).default('none').describe('none or active'),
  backupDays: optionalCount(1, 3650),
  backupCopyTo: optional(
    z.string().refine(isVault),
    'the ARN of a backup vault, such as arn:aws:backup:eu-central-1:210987654321:backup-vault:copies',
  ),
  stackPrefix: optional(
    text(/^[A-Za-z](-?[A-Za-z0-9])*$/).max(100),
    'a letter, then up to 99 letters, digits or single hyphens',
  ),
  smokeReceiver: flag.default(false).describe(flagForm),
  retentionDays: optional(wholeNumber(1, 3650), 'a whole number of days from 1 to 3650'),
  apiGatewayLogRole: z.enum(['create', 'existing']).default('create').describe('create or existing'),
  tokenIssuer: optional(
    z.string().refine(isIssuer),
    'an https address without query or fragment (http for loopback only), exactly as in the iss claim',
  ),
  tokenAudience: optional(text(/^[!-~]{1,200}$/), 'up to 200 visible ASCII characters'),
  tokenJwksUrl: optional(z.string().refine(isAddress), 'an https address without fragment (http for loopback only)'),
});

/** With what follows from the profile. */
export const resolvedSettings = settings.transform(withProfile);

export type Settings = z.infer<typeof resolvedSettings>;
export type SettingName = keyof typeof settings.shape;

function isFiniteRetention(value: string | RetentionDays): value is RetentionDays {
  return typeof value === 'number' && value !== RetentionDays.INFINITE;
}
