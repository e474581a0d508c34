import * as z from 'zod';
import { at } from './harness/json.ts';

const receiverSchema = z.object({
  origin: z.url({ protocol: /^https$/ }),
  inbox_url: z.url(),
});

const plainReceiverSchema = z.object({
  url: z.url({ protocol: /^https$/ }),
  inbox_url: z.url().optional(),
  wait_seconds: z.number().positive().default(60),
});

const intakeSchema = z.object({
  queue_url: z.url(),
  endpoint: z.url().optional(),
  region: z.string().default('us-east-1'),
  customer_id: z.string(),
  other_customer_id: z.string().optional(),
});

const credentialsSchema = z.object({
  revoked_key: z.string().optional(),
  token: z.string().optional(),
  expired_token: z.string().optional(),
  foreign_audience_token: z.string().optional(),
  connection_revoked_token: z.string().optional(),
  organization_not_selected_token: z.string().optional(),
  organization_access_revoked_token: z.string().optional(),
  /** What the fragment of a portal link contains. */
  read_only_link: z.string().optional(),
  revoked_link: z.string().optional(),
});

const key = z.string().min(1);

/** All settings of a run, which README.md describes. */
export const configSchema = z.object({
  url: z.url().transform((text) => text.replace(/\/+$/, '')),
  docs_url: z.url().optional(),
  keys: z.array(key).min(1),
  other_keys: z.array(key).min(1),
  limit_key: key.optional(),
  receiver: receiverSchema.optional(),
  plain_receiver: plainReceiverSchema.optional(),
  intake: intakeSchema.optional(),
  credentials: credentialsSchema.default({}),
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
  | 'plain_receiver'
  | 'plain_receiver.inbox_url'
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
