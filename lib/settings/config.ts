import * as z from 'zod';
import { defaultPlatforms } from '#shared/contract/platforms.ts';
import { isServiceAddress } from './addresses.ts';
import {
  type Concurrency,
  concurrencyOf,
  concurrencySettings,
  expectedConcurrency,
  overcommitment,
} from './concurrency.ts';
import { type ConsoleSettings, consoleOf, consoleSettings, expectedConsole } from './console-settings.ts';
import { type DeliveryHeaders, expectedHeaders, headerSettings, headersOf } from './delivery-headers.ts';
import {
  expectedMonitoring,
  type Monitoring,
  monitoringOf,
  monitoringSettings,
} from './monitoring-settings.ts';
import {
  expectedOptionalParts,
  type OptionalParts,
  optionalPartsOf,
  optionalPartsSettings,
} from './optional-parts.ts';
import { expectedRetention, type Retention, retentionOf, retentionSettings } from './retention.ts';
import { flagText } from './setting-texts.ts';
import {
  contradictions,
  expectedTableCapacity,
  type TableCapacity,
  tableCapacityOf,
  tableCapacitySettings,
} from './table-capacity.ts';
import { expectedTokens, type Tokens, tokenSettings } from './token-settings.ts';

type Groups = Concurrency & ConsoleSettings & DeliveryHeaders & Monitoring & OptionalParts & Retention;

/** Settings of one deployment. stage-settings.ts reads their sources. */
export type Config = Groups & {
  /** Name of the deployment. Stack names contain it, so one account can hold several. Default `dev`. */
  readonly stage: string;
  /** Public address of the API. Default: `https://<domainName>`, or API Gateway's own address without a domain. */
  readonly baseUrl: string | undefined;
  /** Base address of the problem type documentation. Default `<baseUrl>/docs`. */
  readonly docsUrl: string | undefined;
  /**
   * Whether data survives deletion of the stacks: the table and the key are retained, and the table has deletion
   * protection and can be restored to any second of the last 35 days.
   * Default: false for stages called dev, test, demo, local, sandbox, preview, pr or ci, also with a suffix.
   */
  readonly retainData: boolean;
  /** Platforms whose creators can be queried. Default `tiktok,instagram,youtube`. */
  readonly supportedPlatforms: readonly string[];
  /** Host name of the API, with a certificate in the same Region; the zone, if set, receives its address records. */
  readonly domain: Domain | undefined;
  /** How the table's reads and writes are paid. Default `on-demand`. */
  readonly tableCapacity: TableCapacity;
  /**
   * API Gateway writes access logs through one role per account and Region. `create` (the default) creates the role;
   * `existing` uses the role that the account already has.
   */
  readonly apiGatewayLogRole: 'create' | 'existing';
  /** Which access tokens are accepted. Default: none, API keys only. */
  readonly tokens: Tokens | undefined;
};

export type Domain = {
  readonly name: string;
  readonly certificateArn: string;
  readonly hostedZoneId: string | undefined;
};

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const disposableStage = /^(dev|test|demo|local|sandbox|preview|pr|ci)(-|$)/;

const address = z.string().refine(isServiceAddress);

export const defaultStage = 'dev';

const stageName = z.string().regex(/^[a-z][a-z0-9-]{0,19}$/);

const settings = z
  .object({
    stage: stageName.default(defaultStage),
    ...headerSettings,
    baseUrl: address.optional(),
    docsUrl: address.optional(),
    retainData: flagText.optional(),
    throwAway: flagText.optional(),
    supportedPlatforms: z
      .string()
      .regex(/^[a-z0-9_]+(,[a-z0-9_]+)*$/)
      .default(defaultPlatforms.join(',')),
    ...monitoringSettings,
    domainName: z
      .string()
      .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/)
      .optional(),
    certificateArn: z
      .string()
      .regex(/^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/)
      .optional(),
    hostedZoneId: z
      .string()
      .regex(/^Z[A-Z0-9]{1,31}$/)
      .optional(),
    ...consoleSettings,
    ...concurrencySettings,
    ...tableCapacitySettings,
    ...optionalPartsSettings,
    ...retentionSettings,
    apiGatewayLogRole: z.enum(['create', 'existing']).default('create'),
    ...tokenSettings,
  })
  .superRefine((given, context) => {
    for (const key of contradictions(given)) context.addIssue({ code: 'custom', path: [key] });
  });

type Settings = z.infer<typeof settings>;
type Key = keyof Settings;

const addressForm = 'an https address without query, fragment or trailing slash (http for loopback only)';

const expected: Readonly<Record<Key, string>> = {
  stage: 'a lower-case letter, then up to 19 lower-case letters, digits or hyphens',
  ...expectedHeaders,
  baseUrl: addressForm,
  docsUrl: addressForm,
  retainData: 'true or false',
  throwAway: 'true or false',
  supportedPlatforms: 'lower-case names, separated by commas without spaces',
  ...expectedMonitoring,
  domainName: 'a host name in lower case, such as api.example.com',
  certificateArn: 'the ARN of a certificate in AWS Certificate Manager',
  hostedZoneId: 'the id of a Route 53 hosted zone, such as Z0123456789ABCDEFGHIJ',
  ...expectedConsole,
  ...expectedConcurrency,
  ...expectedTableCapacity,
  ...expectedOptionalParts,
  ...expectedRetention,
  apiGatewayLogRole: 'create or existing',
  ...expectedTokens,
};

export const settingNames: readonly string[] = Object.keys(expected);

export function isStageName(value: unknown): value is string {
  return stageName.safeParse(value).success;
}

/**
 * @param read returns the value of a key, `undefined` when it is not set
 * @param place names a key and the source of its value; default: the key alone
 * @throws ConfigError that names every wrong key, its value, and the expected value
 */
export function parseConfig(read: (key: string) => unknown, place = (key: string): string => key): Config {
  const given = Object.fromEntries(settingNames.map((key) => [key, read(key)]));
  const parsed = settings.safeParse(given);
  if (!parsed.success) throw new ConfigError(explain(parsed.error, given, place));
  const { data } = parsed;
  const overcommitted = overcommitment(data);
  if (overcommitted !== undefined) {
    throw new ConfigError(`Cannot use the deployment settings: ${overcommitted}`);
  }
  return {
    stage: data.stage,
    ...headersOf(data),
    baseUrl: data.baseUrl,
    docsUrl: data.docsUrl,
    ...monitoringOf(data),
    ...consoleOf(data),
    ...concurrencyOf(data),
    ...optionalPartsOf(data),
    apiGatewayLogRole: data.apiGatewayLogRole,
    tableCapacity: tableCapacityOf(data),
    ...retentionOf(data),
    retainData: retainDataOf(data),
    supportedPlatforms: data.supportedPlatforms.split(','),
    domain: domainOf(data),
    tokens: tokensOf(data),
  };
}

/** Maps `retainData` to its former name `throwAway`, which has the opposite meaning, and back. */
export function otherNameOf(key: string): string | undefined {
  if (key === 'retainData') return 'throwAway';
  return key === 'throwAway' ? 'retainData' : undefined;
}

function retainDataOf({
  stage,
  retainData,
  throwAway,
}: Pick<Settings, 'stage' | 'retainData' | 'throwAway'>): boolean {
  if (retainData !== undefined && throwAway !== undefined) {
    throw new ConfigError(
      'Cannot use the deployment settings: throwAway is the former name of retainData, with the opposite meaning; ' +
        'set retainData only',
    );
  }
  if (throwAway !== undefined) return !throwAway;
  return retainData ?? !disposableStage.test(stage);
}

function domainOf(
  given: Pick<Settings, 'domainName' | 'certificateArn' | 'hostedZoneId'>,
): Domain | undefined {
  const { domainName: name, certificateArn, hostedZoneId } = given;
  if (name !== undefined && certificateArn !== undefined) return { name, certificateArn, hostedZoneId };
  if (name === undefined && certificateArn === undefined && hostedZoneId === undefined) return undefined;
  throw new ConfigError(
    'Cannot use the deployment settings: domainName and certificateArn must be set together, and hostedZoneId only with both',
  );
}

function tokensOf(
  given: Pick<Settings, 'tokenIssuer' | 'tokenAudience' | 'tokenJwksUrl'>,
): Tokens | undefined {
  const { tokenIssuer: issuer, tokenAudience: audience, tokenJwksUrl: jwksUrl } = given;
  if (issuer !== undefined && audience !== undefined) {
    return {
      issuer,
      audience,
      jwksUrl: jwksUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`,
    };
  }
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined;
  throw new ConfigError(
    'Cannot use the deployment settings: tokenIssuer and tokenAudience must be set together, and tokenJwksUrl only with both',
  );
}

function explain(
  error: z.ZodError,
  given: Readonly<Record<string, unknown>>,
  place: (key: string) => string,
): string {
  const keys = new Set(error.issues.map((issue) => String(issue.path[0])).filter(isKey));
  const faults = [...keys].map(
    (key) => `${place(key)} is ${JSON.stringify(given[key])}, expected ${expected[key]}`,
  );
  return `Cannot use the deployment settings: ${faults.join('; ')}`;
}

function isKey(text: string): text is Key {
  return Object.hasOwn(expected, text);
}
