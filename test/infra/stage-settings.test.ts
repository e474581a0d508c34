import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { repositoryRoot } from '../../lib/bundle.ts';
import { ConfigError } from '../../lib/config.ts';
import { readConfig } from '../../lib/stage-settings.ts';

const ownContext = cdkJson.context;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stages-'));
});

afterEach(() => rm(folder, { recursive: true }));

const config = (given: Readonly<Record<string, unknown>>, shared: Readonly<Record<string, unknown>> = {}) =>
  readConfig({
    context: { ...ownContext, ...shared, ...given },
    shared: { ...ownContext, ...shared },
    folder,
  });

const write = (stage: string, content: unknown) =>
  writeFile(join(folder, `${stage}.json`), typeof content === 'string' ? content : JSON.stringify(content));

describe('a key that is not a setting', () => {
  it.each([
    ['stagee', 'stage'],
    ['retentionDays', 'logRetentionDays'],
    ['throwaway', 'throwAway'],
    ['retaindata', 'retainData'],
    ['hostedZoneID', 'hostedZoneId'],
    ['alarm-email', 'alarmEmail'],
  ])('%s is refused, and %s proposed', (key, proposed) => {
    const attempt = () => config({ [key]: 'prod' });

    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(`${key} is not a setting; did you mean ${proposed}?`);
  });

  it('is refused with all settings where none is near', () => {
    expect(() => config({ colour: 'red' })).toThrow(
      /colour is not a setting; settings are stage, serviceName, .*tokenJwksUrl/,
    );
  });

  it('is refused beside others, each of which is named', () => {
    expect(() => config({ stagee: 'prod', basUrl: 'https://api.example.com' })).toThrow(
      /stagee is not a setting; did you mean stage\?; basUrl is not a setting; did you mean baseUrl\?/,
    );
  });

  it.each([
    '@aws-cdk/core:someNewFlag',
    'aws:cdk:enable-path-metadata',
    'aws-cdk:enableDiffNoFail',
    'cli-telemetry',
    'cdk-telemetry',
    'acknowledged-issue-numbers',
    'availability-zones:account=123456789012:region=eu-central-1',
    'hosted-zone:account=123456789012:domainName=example.com:region=eu-central-1',
    'vpc-provider:account=123456789012:filter.isDefault=true:region=eu-central-1:returnAsymmetricSubnets=true',
  ])('passes when it is one of the CDK: %s', (key) => {
    expect(config({ [key]: true }).stage).toBe('dev');
  });
});

describe('the file of a stage', () => {
  it('gives the settings that the command line does not', async () => {
    await write('prod', { alarmEmail: 'ops@example.com', logRetentionDays: 90, retainData: false });

    expect(config({ stage: 'prod' })).toMatchObject({
      stage: 'prod',
      alarmEmail: 'ops@example.com',
      logRetentionDays: 90,
      retainData: false,
    });
  });

  it('yields to the command line, setting by setting', async () => {
    await write('prod', { alarmEmail: 'ops@example.com', logRetentionDays: 90 });

    expect(config({ stage: 'prod', logRetentionDays: '7' })).toMatchObject({
      alarmEmail: 'ops@example.com',
      logRetentionDays: 7,
    });
  });

  it('yields to the command line also where both halves of a domain are given there', async () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d';
    await write('prod', { domainName: 'old.example.com', certificateArn });

    expect(config({ stage: 'prod', domainName: 'new.example.com' }).domain).toEqual({
      name: 'new.example.com',
      certificateArn,
      hostedZoneId: undefined,
    });
  });

  it('yields to the command line also where the two use different names of one setting', async () => {
    await write('prod', { throwAway: true });

    expect(config({ stage: 'prod' }).retainData).toBe(false);
    expect(config({ stage: 'prod', retainData: 'true' }).retainData).toBe(true);
    expect(config({ stage: 'prod', throwAway: 'false' }).retainData).toBe(true);
  });

  it('is refused where it has one setting under both names, or cdk.json has it under the other', async () => {
    await write('prod', { throwAway: true, retainData: false });
    expect(() => config({ stage: 'prod' })).toThrow('set retainData only');

    await write('prod', { retainData: true });
    expect(() => config({ stage: 'prod' }, { throwAway: true })).toThrow(
      'throwAway in cdk.json and retainData in stages/prod.json are one setting; keep one of them',
    );
  });

  it('is accepted as docs/operating.md shows one', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operating.md'), 'utf8');
    const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
    await write('prod', example);

    expect(config({ stage: 'prod' })).toMatchObject({ alarmEmail: 'ops@example.com', logRetentionDays: 90 });
  });

  it('is read for the default stage too', async () => {
    await write('dev', { serviceName: 'Acme' });

    expect(config({}).serviceName).toBe('Acme');
  });

  it('need not be there, nor is that of another stage read', async () => {
    await write('prod', { serviceName: 'Acme' });

    expect(config({ stage: 'preview' }).serviceName).toBe('Service');
  });

  it('beats no setting that all stages share in cdk.json: one that is in both is refused', async () => {
    await write('prod', { alarmEmail: 'prod@example.com' });

    expect(() => config({ stage: 'prod' }, { alarmEmail: 'all@example.com' })).toThrow(
      'alarmEmail is in cdk.json and in stages/prod.json; keep it in one of them',
    );
    expect(config({ stage: 'test' }, { alarmEmail: 'all@example.com' }).alarmEmail).toBe('all@example.com');
  });

  it.each<[string, unknown, string]>([
    [
      'a slip',
      { alarmMail: 'ops@example.com' },
      'alarmMail in stages/prod.json is not a setting; did you mean alarmEmail?',
    ],
    ['a key of the CDK', { '@aws-cdk/core:x': true }, '@aws-cdk/core:x in stages/prod.json is not a setting'],
    [
      'the stage',
      { stage: 'prod' },
      'stage in stages/prod.json is not needed: the file name already names the stage',
    ],
    [
      'a wrong value',
      { logRetentionDays: 8 },
      'logRetentionDays in stages/prod.json is 8, expected one of 1, 3',
    ],
    ['a list', [], 'stages/prod.json is not a JSON object'],
    ['a broken text', '{"alarmEmail":', 'stages/prod.json is not JSON'],
  ])('is refused with %s', async (_, content, message) => {
    await write('prod', content);

    const attempt = () => config({ stage: 'prod' });

    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(message);
  });

  it.each(['../prod', 'Prod', 'a/b'])('is not looked for when the stage is no name: %j', (stage) => {
    expect(() => config({ stage })).toThrow(
      `stage is ${JSON.stringify(stage)}, expected a lower-case letter`,
    );
  });
});
