import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { defaultPlatforms } from '#shared/contract/platforms.ts';
import { isAddress, isIssuer, isServiceAddress, isSupportLink } from './addresses.ts';
import { isProducer, isTopicArn, topicExample } from './arns.ts';
import { noticeTarget } from './notices.ts';
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

/** A number, or its digits: the command line passes text. */
const number = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]);

const wholeNumber = (min: number, max: number) =>
  number.refine((count) => Number.isInteger(count) && count >= min && count <= max);

/** A boolean, or its name. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
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

/** Every setting, with its default. Its description is the form of a valid value. */
export const settings = z.object({
  /** Name of the deployment. Stack names contain it, so one account can hold several. */
  stage: text(/^[a-z][a-z0-9-]{0,19}$/)
    .default('dev')
    .describe('a lower-case letter, then up to 19 lower-case letters, digits or hyphens'),
  /** The word between `X-` and `-Signature` in the headers of a delivery. */
  serviceName: text(/^[A-Za-z][A-Za-z0-9-]{0,39}$/)
    .default('Service')
    .describe('a letter, then up to 39 letters, digits or hyphens'),
  /** Whether deliveries also carry the headers of Standard Webhooks. */
  standardWebhooks: flag.default(true).describe(flagForm),
  /** Public address of the API. Default: `https://<domainName>`, or API Gateway's own address without a domain. */
  baseUrl: address,
  /** Base address of the problem type documentation. Default `<baseUrl>/docs`. */
  docsUrl: address,
  /**
   * Whether data survives deletion of the stacks: the table and the key are retained, and the table has deletion
   * protection and can be restored to any second of the last 35 days.
   * Default: false for stages called dev, test, demo, local, sandbox, preview, pr or ci, also with a suffix.
   */
  retainData: optional(flag, flagForm),
  /** The former name of `retainData`, with the opposite meaning. */
  throwAway: optional(flag, flagForm),
  /** Platforms whose creators can be queried. */
  supportedPlatforms: text(/^[a-z0-9_]+(,[a-z0-9_]+)*$/)
    .transform(splitList)
    .default([...defaultPlatforms])
    .describe('lower-case names, separated by commas without spaces'),
  /** Address, or topic, that receives every alarm. Default: alarms show in CloudWatch only. */
  alarmEmail: optional(
    z.union([z.email(), z.string().refine(isTopicArn)]),
    `an email address, or the ARN of an SNS topic (not FIFO), such as ${topicExample}`,
  ),
  /** Whether the stage has a dashboard in CloudWatch. */
  dashboard: flag.default(true).describe(flagForm),
  /** Log retention in days. */
  logRetentionDays: number
    .refine((days) => logRetentions.includes(days))
    .default(RetentionDays.ONE_MONTH)
    .describe(`one of ${logRetentions.join(', ')}`),
  /** Host name of the API. */
  domainName: optional(
    text(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/),
    'a host name in lower case, such as api.example.com',
  ),
  /** Certificate of the host name, in the same Region. */
  certificateArn: optional(
    text(/^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/),
    'the ARN of a certificate in AWS Certificate Manager',
  ),
  /** The zone that receives the address records of the host name. */
  hostedZoneId: optional(
    text(/^Z[A-Z0-9]{1,31}$/),
    'the id of a Route 53 hosted zone, such as Z0123456789ABCDEFGHIJ',
  ),
  /** Origins whose pages may show the console in a frame. */
  consoleFrameAncestors: z
    .string()
    .transform(splitList)
    .refine((origins) => origins.every((each) => origin.test(each)))
    .default([])
    .describe('https origins, separated by commas without spaces, such as https://portal.example.com'),
  /** The name in the console and the documentation. Default: that of this project. */
  brandName: optional(text(/^[^\s\p{C}]([^\p{C}]{0,38}[^\s\p{C}])?$/u), 'a text of 1 to 40 characters'),
  /** Images in place of the name and of the icon. */
  brandLogo: imageFile,
  brandLogoDark: imageFile,
  brandFavicon: imageFile,
  /** The colour of links and buttons. Default for dark pages: made of that for light pages. */
  brandAccent: color,
  brandAccentDark: color,
  /** Where customers get help. */
  supportLink: link,
  /** Where the files of the repository can be edited. Default: pages have no link to edit them. */
  docsEditUrl: address,
  /** Where readers say what they think of a page. Default: pages do not ask. */
  docsFeedbackUrl: link,
  /** Concurrent Lambda executions that the stage may use. Default: the quota of an account that is not new. */
  concurrentExecutions: optionalCount(4 * queueConcurrency.min + leftToApi, 1_000_000),
  /** Maximum number of delivery functions that run at once, with ten deliveries each. */
  deliveryConcurrency: optionalCount(
    queueConcurrency.min,
    queueConcurrency.maxWithPollers,
    `, at most ${queueConcurrency.max} without queuePollers`,
  ),
  /** Maximum number of functions for slow endpoints that run at once, with 20 deliveries each. */
  slowDeliveryConcurrency: optionalCount(queueConcurrency.min, queueConcurrency.max),
  /**
   * Pollers that Lambda keeps ready for the intake queue and for the delivery queue. Each reads for ten functions at once.
   * Default: pollers of Lambda's own, which begin with five functions and add 300 in a minute.
   */
  queuePollers: optionalCount(2, 200),
  /** Price against delay: the defaults of `batchWindow` and `tableCapacity`, and the memory of the API. */
  profile: z.enum(['economy', 'balanced', 'fast']).default('fast').describe('economy, balanced or fast'),
  /** Seconds for which a function waits for more messages of the intake or the delivery queue before it begins. */
  batchWindow: optional(wholeNumber(0, 10), 'a whole number of seconds from 0 to 10'),
  /** How the table's reads and writes are paid. */
  tableCapacity: optional(z.enum(['on-demand', 'provisioned']), 'on-demand or provisioned'),
  tableReadMin: capacityUnits(`at most tableReadMax (default ${defaultCapacity.max})`),
  tableReadMax: capacityUnits(`at least tableReadMin (default ${defaultCapacity.min})`),
  tableWriteMin: capacityUnits(`at most tableWriteMax (default ${defaultCapacity.max})`),
  tableWriteMax: capacityUnits(`at least tableWriteMin (default ${defaultCapacity.min})`),
  /** Units a second that the table takes at once, also when it is new or was idle. It cannot be lowered again. */
  warmReads: optionalCount(defaultWarm.reads, 10_000_000),
  warmWrites: optionalCount(defaultWarm.writes, 10_000_000),
  /** Percent of the provisioned units that auto scaling wants consumed. */
  tableUtilization: optional(wholeNumber(20, 90), `a percentage from 20 to 90, ${ifProvisioned}`),
  /** Principals of other programs that may send to the intake. */
  producers: z
    .string()
    .transform(splitList)
    .refine((names) => names.every(isProducer) && new Set(names).size === names.length)
    .default([])
    .describe(
      'account ids or ARNs of roles, separated by commas without spaces, such as ' +
        '123456789012,arn:aws:iam::123456789012:role/run-engine',
    ),
  /** Whether the stage has an EventBridge bus that leads to the intake. */
  eventBus: z
    .enum(['none', 'create'])
    .transform((choice) => choice === 'create')
    .default(false)
    .describe('none or create'),
  notices: noticeTarget,
  /** Deliveries in a row that fail before a notice is sent. The row of an endpoint names them, and each batch reads it. */
  noticeAfter: wholeNumber(1, 20).default(3).describe('a whole number from 1 to 20'),
  /** Addresses that deliveries come from, each with a NAT gateway. 0: they change, and there is no network to pay for. */
  fixedAddresses: wholeNumber(0, maxFixedAddresses)
    .default(0)
    .describe(`a whole number from 0 to ${maxFixedAddresses}`),
  /** Whether the app has the stack of the receiver for smoke tests. */
  smokeReceiver: flag.default(false).describe(flagForm),
  /**
   * Days for which finished deliveries and stored results are kept. Default: none, and they are kept. Rows that are
   * stored before a change keep the time that they have.
   */
  retentionDays: optional(wholeNumber(1, 3650), 'a whole number of days from 1 to 3650'),
  /**
   * API Gateway writes access logs through one role per account and Region. `create` creates the role; `existing` uses
   * the role that the account already has.
   */
  apiGatewayLogRole: z.enum(['create', 'existing']).default('create').describe('create or existing'),
  /** The exact `iss` claim of a token. Default: no access tokens are accepted, API keys only. */
  tokenIssuer: optional(
    z.string().refine(isIssuer),
    'an https address without query or fragment (http for loopback only), exactly as in the iss claim',
  ),
  /** The value that the `aud` claim of a token must contain. */
  tokenAudience: optional(text(/^[!-~]{1,200}$/), 'up to 200 visible ASCII characters'),
  /** Where the issuer publishes its keys. Default `<issuer>/.well-known/jwks.json`. */
  tokenJwksUrl: optional(
    z.string().refine(isAddress),
    'an https address without fragment (http for loopback only)',
  ),
});

/** With what follows from the profile. */
export const resolvedSettings = settings.transform(withProfile);

export type Settings = z.infer<typeof resolvedSettings>;
export type SettingName = keyof typeof settings.shape;

function splitList(text: string): string[] {
  return text.split(',');
}

function isFiniteRetention(value: string | RetentionDays): value is RetentionDays {
  return typeof value === 'number' && value !== RetentionDays.INFINITE;
}
