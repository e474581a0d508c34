import * as z from 'zod';
import { at } from './harness/json.ts';

/** The programmable https receiver that acts as a customer's endpoints, and the inbox that lists its requests. */
const receiverSchema = z.object({
  origin: z.url({ protocol: /^https$/ }),
  inbox_url: z.url(),
});

/** The queue that the Run engine sends messages to. */
const intakeSchema = z.object({
  queue_url: z.url(),
  /** Address of the queue service. Default: SQS. */
  endpoint: z.url().optional(),
  region: z.string().default('us-east-1'),
  /** The customer of `keys`. */
  customer_id: z.string(),
  /** The customer of `other_keys`. */
  other_customer_id: z.string().optional(),
});

/** Credentials that only an operator can create. Checks whose credential is missing are skipped. */
const credentialsSchema = z.object({
  revoked_key: z.string().optional(),
  token: z.string().optional(),
  expired_token: z.string().optional(),
  foreign_audience_token: z.string().optional(),
  connection_revoked_token: z.string().optional(),
  organization_not_selected_token: z.string().optional(),
  organization_access_revoked_token: z.string().optional(),
  /** The credential in the fragment of a portal link. */
  read_only_link: z.string().optional(),
  revoked_link: z.string().optional(),
});

const key = z.string().min(1);

/** All settings of a run. README.md describes them for users. */
export const configSchema = z.object({
  url: z.url().transform((text) => text.replace(/\/+$/, '')),
  /** Base address of the problem type pages. Default: the one in the first problem. */
  docs_url: z.url().optional(),
  /** Keys of one customer; the suite spreads requests over them. */
  keys: z.array(key).min(1),
  /** Keys of another customer. */
  other_keys: z.array(key).min(1),
  /** A key with no other use, because the suite exhausts its request limit. */
  limit_key: key.optional(),
  receiver: receiverSchema.optional(),
  intake: intakeSchema.optional(),
  credentials: credentialsSchema.default({}),
  /** Factor that shortens the retry intervals of the deployment. */
  time_scale: z.number().min(1).default(1),
  /** Also run checks that wait longer than two minutes. */
  slow: z.boolean().default(false),
});

export type SuiteConfig = z.infer<typeof configSchema>;
export type ReceiverConfig = z.infer<typeof receiverSchema>;
export type IntakeConfig = z.infer<typeof intakeSchema>;

/** A requirement of a check, beyond a base URL and two keys: the path of a setting, or time for retries. */
export type Need =
  | 'receiver'
  | 'intake'
  | 'intake.other_customer_id'
  | 'limit_key'
  | `credentials.${keyof SuiteConfig['credentials']}`
  | 'retries';

export const retriesTakeMinutes = 60;
/** Without `slow`. */
const maxRetryMinutes = 2;

/** Why a check cannot run, `undefined` when it can. */
export function missingFor(config: SuiteConfig, needs: readonly Need[]): string | undefined {
  const unset = needs.find((need) => need !== 'retries' && at(config, ...need.split('.')) === undefined);
  if (unset !== undefined) return `no ${unset} is configured`;
  const minutes = retriesTakeMinutes / config.time_scale;
  if (!needs.includes('retries') || config.slow || minutes <= maxRetryMinutes) return undefined;
  return `retries take ${Math.round(minutes)} minutes: set slow or time_scale`;
}
