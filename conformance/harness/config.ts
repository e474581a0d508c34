import * as z from 'zod';

/** The programmable https endpoint that stands in for a customer's receiver, and the inbox to read back what it got. */
const receiverSchema = z.object({
  origin: z.url({ protocol: /^https$/ }),
  inbox_url: z.url(),
});

/** The queue into which the engine behind the service puts what happened. */
const intakeSchema = z.object({
  queue_url: z.url(),
  /** Address of the queue service, when it is not the provider's own. */
  endpoint: z.url().optional(),
  region: z.string().default('us-east-1'),
  /** The customer of `keys`. */
  customer_id: z.string(),
  /** The customer of `other_keys`. */
  other_customer_id: z.string().optional(),
});

/** Credentials that only an operator can make. Checks whose credential is missing are skipped. */
const credentialsSchema = z.object({
  revoked_key: z.string().optional(),
  token: z.string().optional(),
  expired_token: z.string().optional(),
  foreign_audience_token: z.string().optional(),
  connection_revoked_token: z.string().optional(),
  organization_not_selected_token: z.string().optional(),
  organization_access_revoked_token: z.string().optional(),
});

const key = z.string().min(1);

/** Everything that a run of the suite is told. README.md describes it for its writers. */
export const configSchema = z.object({
  url: z.url().transform((text) => text.replace(/\/+$/, '')),
  /** Address below which the pages of problem types are. Default: what the first problem says. */
  docs_url: z.url().optional(),
  /** All of one customer: requests are spread over them. */
  keys: z.array(key).min(1),
  /** All of one other customer. */
  other_keys: z.array(key).min(1),
  /** A key that nothing else uses: its request limit is exhausted. */
  limit_key: key.optional(),
  receiver: receiverSchema.optional(),
  intake: intakeSchema.optional(),
  credentials: credentialsSchema.default({}),
  /** How many times shorter than planned the retries of the deployment wait. */
  time_scale: z.number().min(1).default(1),
  /** Also run checks that wait longer than two minutes. */
  slow: z.boolean().default(false),
});

export type SuiteConfig = z.infer<typeof configSchema>;
export type ReceiverConfig = z.infer<typeof receiverSchema>;
export type IntakeConfig = z.infer<typeof intakeSchema>;
