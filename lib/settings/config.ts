import { RemovalPolicy } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type * as z from 'zod';
import { stackPrefixOf } from '#shared/contract/deployment.ts';
import { nearest } from '#shared/contract/nearest.ts';
import { brandFaults } from './brand.ts';
import { type Concurrency, concurrencyOf, overcommitment, withoutPollers } from './concurrency.ts';
import { resolvedSettings, type SettingName, type Settings, settings } from './settings.ts';
import { contradictions, type TableCapacity, tableCapacityOf } from './table-capacity.ts';

/** What follows from the settings of one deployment. */
type Derived = Concurrency & {
  readonly retainData: boolean;
  readonly tableCapacity: TableCapacity;
  /** Host name of the API, with a certificate in the same Region; the zone, if set, receives its address records. */
  readonly domain: Domain | undefined;
  /** Which access tokens are accepted. Default: none, API keys only. */
  readonly tokens: Tokens | undefined;
  /** What the names of the stacks begin with. */
  readonly stackPrefix: string;
  /** What happens to everything that holds data when its stack is deleted. */
  readonly keepsData: boolean;
  /** An existing network for the functions that POST to endpoints. Default: none. */
  readonly vpc: GivenVpc | undefined;
};

/** Settings of one deployment. stage-settings.ts reads their sources. */
export type Config = Readonly<Omit<Settings, 'throwAway' | 'removalPolicy' | keyof Derived>> & Derived;

export type Domain = {
  readonly name: string;
  readonly certificateArn: string;
  readonly hostedZoneId: string | undefined;
};

export type GivenVpc = { readonly id: string; readonly subnetIds: readonly string[] };

type Tokens = { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };

export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: string, options?: ErrorOptions) {
    super(`Cannot use the deployment settings: ${faults}`, options);
  }
}

const disposableStage = /^(dev|test|demo|local|sandbox|preview|pr|ci)(-|$)/;

const consistentSettings = resolvedSettings.superRefine((given, context) => {
  for (const key of [...contradictions(given), ...withoutPollers(given)])
    context.addIssue({ code: 'custom', path: [key] });
});

export const settingNames: readonly string[] = Object.keys(settings.shape);

/**
 * Says that a name is not one of those known, and which was probably meant.
 *
 * @param place names where it was found; default: the name alone
 * @returns nothing for a known name
 */
export function faultsOfName(
  name: string,
  { place = name, known = settingNames, kind = 'setting' } = {},
): readonly string[] {
  if (known.includes(name)) return [];
  const meant = nearest(name, known);
  const advice = meant === undefined ? `${kind}s are ${known.join(', ')}` : `did you mean ${meant}?`;
  return [`${place} is not a ${kind}; ${advice}`];
}

/**
 * Checks settings. What it returns can be checked again, and is then the same.
 *
 * @param read returns the value of a key, `undefined` when it is not set
 * @param place names a key and the source of its value; default: the key alone
 * @throws ConfigError that names every wrong key, its value, and the expected value
 */
export function parseSettings(read: (key: string) => unknown, place = (key: string): string => key): Settings {
  const given = Object.fromEntries(settingNames.map((key) => [key, read(key)]));
  const parsed = consistentSettings.safeParse(given);
  if (!parsed.success) throw new ConfigError(explain(parsed.error, given, place));
  const overcommitted = overcommitment(parsed.data);
  if (overcommitted !== undefined) throw new ConfigError(overcommitted);
  const ofBrand = brandFaults(parsed.data);
  if (ofBrand.length > 0) throw new ConfigError(ofBrand.join('; '));
  return parsed.data;
}

/** @throws ConfigError when a setting is without another one that it needs, or contradicts it */
export function configOf({ throwAway, removalPolicy, ...data }: Settings): Config {
  if (data.backupCopyTo !== undefined && data.backupDays === undefined)
    throw new ConfigError('backupCopyTo is set without backupDays; set both, or backupDays only');
  const retainData = retainDataOf(data, throwAway);
  return {
    ...data,
    stackPrefix: data.stackPrefix ?? stackPrefixOf(data.stage),
    keepsData: removalPolicy === undefined ? retainData : removalPolicy === RemovalPolicy.RETAIN,
    vpc: vpcOf(data),
    ...concurrencyOf(data),
    retainData,
    tableCapacity: tableCapacityOf(data),
    domain: domainOf(data),
    tokens: tokensOf(data),
  };
}

/** {@link parseSettings}, then {@link configOf}. */
export const parseConfig = (...given: Parameters<typeof parseSettings>): Config => configOf(parseSettings(...given));

/** Maps `retainData` to its former name `throwAway`, which has the opposite meaning, and back. */
export function otherNameOf(key: string): string | undefined {
  if (key === 'retainData') return 'throwAway';
  return key === 'throwAway' ? 'retainData' : undefined;
}

type Given = Omit<Settings, 'throwAway' | 'removalPolicy'>;

function retainDataOf({ stage, retainData }: Given, throwAway: boolean | undefined): boolean {
  if (throwAway === undefined) return retainData ?? !disposableStage.test(stage);
  if (retainData === undefined) return !throwAway;
  throw new ConfigError('throwAway is the former name of retainData, with the opposite meaning; set retainData only');
}

function domainOf(given: Given): Domain | undefined {
  const { domainName: name, certificateArn, hostedZoneId } = given;
  if (name !== undefined && certificateArn !== undefined) return { name, certificateArn, hostedZoneId };
  refuseAnyOf(given, 'domainName', 'certificateArn', 'hostedZoneId');
  return undefined;
}

function tokensOf(given: Given): Tokens | undefined {
  const { tokenIssuer: issuer, tokenAudience: audience, tokenJwksUrl } = given;
  if (issuer !== undefined && audience !== undefined) {
    const jwksUrl = tokenJwksUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
    return { issuer, audience, jwksUrl };
  }
  refuseAnyOf(given, 'tokenIssuer', 'tokenAudience', 'tokenJwksUrl');
  return undefined;
}

function vpcOf(given: Given): GivenVpc | undefined {
  const { vpcId: id, subnetIds, fixedAddresses } = given;
  if (id === undefined || subnetIds === undefined) {
    refuseAnyOf(given, 'vpcId', 'subnetIds', 'vpcAddresses');
    return undefined;
  }
  if (fixedAddresses > 0)
    throw new ConfigError(
      'vpcId and fixedAddresses are two networks; set vpcId only, whose ways out have the addresses',
    );
  return { id, subnetIds };
}

/** Refuses a part of three settings: two that need each other, and one that needs both. */
function refuseAnyOf(given: Given, first: keyof Given, second: keyof Given, third: keyof Given): void {
  if ([first, second, third].every((key) => given[key] === undefined)) return;
  throw new ConfigError(`${first} and ${second} must be set together, and ${third} only with both`);
}

function explain(error: z.ZodError, given: Readonly<Record<string, unknown>>, place: (key: string) => string): string {
  const keys = new Set(error.issues.map((issue) => String(issue.path[0])).filter(isKey));
  return [...keys]
    .map((key) => `${place(key)} is ${textOf(given[key])}, expected ${settings.shape[key].description}`)
    .join('; ');
}

/** A construct, in place of its ARN, is named: it refers to itself, so JSON cannot have it. */
function textOf(given: unknown): string {
  return JSON.stringify(given, (_, value) =>
    Construct.isConstruct(value) ? `the construct ${value.node.path}` : value,
  );
}

function isKey(text: string): text is SettingName {
  return Object.hasOwn(settings.shape, text);
}
