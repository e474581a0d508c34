import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { ConfigError, parseConfig, parseSettings, settingNames } from '../../lib/settings/config.ts';
import { everyOption, landingZone } from './synthesized-stage.ts';

const parse = (context: Readonly<Record<string, unknown>>) => parseConfig((key) => context[key]);

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000';

const roleArn = 'arn:aws-cn:iam::123456789012:role/teams/run/engine';
const topicArn = 'arn:aws:sns:eu-central-1:123456789012:ops';
const pagerArn = 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:On_call-2';
const boundaryArn = 'arn:aws:iam::123456789012:policy/teams/boundary';
const vpc = { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0a1b2c3d'] };
const domain = { name: 'api.example.com', certificateArn };
const tokens = { tokenIssuer: 'https://issuer.example.com', tokenAudience: 'https://api.example.com' };
const vaultArn = 'arn:aws:backup:eu-central-1:210987654321:backup-vault:copies';
const onDemand = 'on-demand';
const provisioned = { reads: { min: 25, max: 4_000 }, writes: { min: 25, max: 4_000 }, utilization: 70 };
const keysAt = (issuer: string) => ({ tokens: { jwksUrl: `${issuer}/.well-known/jwks.json` } });

describe('parseConfig()', () => {
  it('has a working default for every setting', () => {
    const config = parse({});

    expect(config).toEqual({
      stage: 'dev',
      serviceName: 'Service',
      standardWebhooks: true,
      baseUrl: undefined,
      docsUrl: undefined,
      retainData: false,
      supportedPlatforms: ['tiktok', 'instagram', 'youtube'],
      alarmEmail: undefined,
      dashboard: true,
      domain: undefined,
      keepGatewayAddress: false,
      logRetentionDays: 30,
      intakeConcurrency: 100,
      deliveryConcurrency: 400,
      slowDeliveryConcurrency: 100,
      replayConcurrency: 10,
      profile: 'fast',
      batchWindow: 0,
      tableCapacity: 'on-demand',
      requestMemory: 512,
      apiGatewayLogRole: 'create',
      producers: [],
      eventBus: false,
      noticeAfter: 3,
      fixedAddresses: 0,
      stackPrefix: 'webhooks-dev',
      keepsData: false,
      tracing: 'none',
      smokeReceiver: false,
      consoleFrameAncestors: [],
    });
  });

  it('has each of its settings explained in docs/operating/deploy.md', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operating/deploy.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));

    const explained = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);

    const rowsOf = new Set(explained.map(([, name]) => name));
    expect(settingNames.filter((name) => !rowsOf.has(name))).toEqual([]);
  });

  it.each(['dev', 'dev-anna', 'test', 'pr-12', 'local'])('does not retain the data of stage %s', (stage) => {
    expect(parse({ stage }).retainData).toBe(false);
    expect(parse({ stage, retainData: 'true' }).retainData).toBe(true);
  });

  it.each(['prod', 'production', 'live', 'eu', 'staging', 'developers'])(
    'retains the data of stage %s unless a setting says otherwise',
    (stage) => {
      expect(parse({ stage }).retainData).toBe(true);
      expect(parse({ stage, retainData: 'false' }).retainData).toBe(false);
    },
  );

  it.each([
    ['dev', 'false', true],
    ['dev', 'true', false],
    ['prod', false, true],
    ['prod', true, false],
  ])('accepts throwAway, the former name of retainData: stage %s, %j', (stage, throwAway, retainData) => {
    expect(parse({ stage, throwAway })).toEqual(parse({ stage, retainData }));
  });

  it.each<[string, string | boolean | number, object]>([
    ['stage', 'eu-1', { stage: 'eu-1' }],
    ['serviceName', 'Acme', { serviceName: 'Acme' }],
    ['baseUrl', 'https://api.example.com/hooks', { baseUrl: 'https://api.example.com/hooks' }],
    ['baseUrl', 'http://127.0.0.1:8787', { baseUrl: 'http://127.0.0.1:8787' }],
    ['baseUrl', 'http://localhost:3000', { baseUrl: 'http://localhost:3000' }],
    ['baseUrl', 'http://[::1]:3000', { baseUrl: 'http://[::1]:3000' }],
    ['docsUrl', 'https://docs.example.com', { docsUrl: 'https://docs.example.com' }],
    ['standardWebhooks', 'false', { standardWebhooks: false }],
    ['standardWebhooks', false, { standardWebhooks: false }],
    ['retainData', 'true', { retainData: true }],
    ['retainData', true, { retainData: true }],
    ['supportedPlatforms', 'tiktok', { supportedPlatforms: ['tiktok'] }],
    ['alarmEmail', 'ops@example.com', { alarmEmail: 'ops@example.com' }],
    ['alarmEmail', topicArn, { alarmEmail: topicArn }],
    ['alarmEmail', pagerArn, { alarmEmail: pagerArn }],
    ['dashboard', 'false', { dashboard: false }],
    ['hostedZoneId', 'Z0123456789ABC', { domain: { ...domain, hostedZoneId: 'Z0123456789ABC' } }],
    ['logRetentionDays', '90', { logRetentionDays: 90 }],
    ['logRetentionDays', 7, { logRetentionDays: 7 }],
    ['concurrentExecutions', '500', { intakeConcurrency: 50, replayConcurrency: 5 }],
    ['deliveryConcurrency', '5', { deliveryConcurrency: 5 }],
    ['slowDeliveryConcurrency', '6', { slowDeliveryConcurrency: 6 }],
    ['queuePollers', '3', { queuePollers: 3 }],
    ['deliveryMemory', '512', { deliveryMemory: 512 }],
    ['batchWindow', '2', { batchWindow: 2 }],
    ['warmReads', '50000', { warmReads: 50_000 }],
    ['warmWrites', '40000', { warmWrites: 40_000 }],
    ['tableReadMin', '10', { tableCapacity: { reads: { min: 10, max: 4_000 } } }],
    ['tableReadMax', '500', { tableCapacity: { reads: { min: 25, max: 500 } } }],
    ['tableWriteMin', '40', { tableCapacity: { writes: { min: 40, max: 4_000 } } }],
    ['tableWriteMax', '2000', { tableCapacity: { writes: { min: 25, max: 2_000 } } }],
    ['tableUtilization', '80', { tableCapacity: { utilization: 80 } }],
    ['retentionDays', '45', { retentionDays: 45 }],
    ['apiGatewayLogRole', 'existing', { apiGatewayLogRole: 'existing' }],
    ['producers', `123456789012,${roleArn}`, { producers: ['123456789012', roleArn] }],
    ['eventBus', 'create', { eventBus: true }],
    ['notices', 'none', { notices: undefined }],
    ['notices', topicArn, { notices: topicArn }],
    ['noticeAfter', '5', { noticeAfter: 5 }],
    ['fixedAddresses', '2', { fixedAddresses: 2 }],
    ['stackPrefix', 'Acme-hooks', { stackPrefix: 'Acme-hooks' }],
    ['removalPolicy', 'retain', { retainData: false, keepsData: true }],
    ['permissionsBoundary', 'boundary', { permissionsBoundary: 'boundary' }],
    ['permissionsBoundary', boundaryArn, { permissionsBoundary: boundaryArn }],
    ['tracing', 'active', { tracing: 'active' }],
    ['backupDays', '35', { backupDays: 35 }],
    ['smokeReceiver', 'true', { smokeReceiver: true }],
    ['keepGatewayAddress', 'true', { keepGatewayAddress: true }],
    ['consoleFrameAncestors', 'https://a.example.com', { consoleFrameAncestors: ['https://a.example.com'] }],
    [
      'consoleFrameAncestors',
      'https://a.b,https://c.d:8443',
      { consoleFrameAncestors: ['https://a.b', 'https://c.d:8443'] },
    ],
    ['tokenIssuer', 'https://tenant.example.com', keysAt('https://tenant.example.com')],
    ['tokenIssuer', 'https://tenant.example.com/', keysAt('https://tenant.example.com')],
    ['tokenIssuer', 'https://idp.example.com/pool-1', keysAt('https://idp.example.com/pool-1')],
    ['tokenIssuer', 'http://127.0.0.1:9000', keysAt('http://127.0.0.1:9000')],
    [
      'tokenJwksUrl',
      'https://keys.example.com/?tenant=1',
      { tokens: { jwksUrl: 'https://keys.example.com/?tenant=1' } },
    ],
  ])('accepts %s %s', (key, value, expected) => {
    const { name: domainName } = domain;
    const config = parse({
      tableCapacity: 'provisioned',
      domainName,
      certificateArn,
      ...tokens,
      [key]: value,
    });

    expect(config).toMatchObject(expected);
    if (key === 'tokenIssuer') expect(config.tokens?.issuer).toBe(value);
  });

  it.each<[string, unknown, string, object?]>([
    ['stage', 'Dev_1', 'lower-case letter'],
    ['stage', 'a'.repeat(21), 'up to 19'],
    ['stage', '', 'lower-case letter'],
    ['serviceName', 'My Service', 'letters, digits or hyphens'],
    ['serviceName', 'X:\r\nY', 'letters, digits or hyphens'],
    ['standardWebhooks', 'off', 'true or false'],
    ['baseUrl', 'http://api.example.com', 'https'],
    ['baseUrl', 'https://api.example.com/', 'trailing slash'],
    ['baseUrl', 'https://api.example.com?x=1', 'query'],
    ['baseUrl', 'https://user:secret@api.example.com', 'https'],
    ['baseUrl', 'https://api.example.com/$context.path', 'https'],
    ['baseUrl', 'api.example.com', 'https'],
    ['docsUrl', 'ftp://docs.example.com', 'https'],
    ['retainData', 'yes', 'true or false'],
    ['throwAway', 'yes', 'true or false'],
    ['supportedPlatforms', 'tiktok, youtube', 'without spaces'],
    ['alarmEmail', 'ops', 'an email address, or the ARN of an SNS topic (not FIFO)'],
    ['alarmEmail', `${topicArn}.fifo`, 'not FIFO'],
    ['alarmEmail', `${topicArn}:0a1b2c3d-0000-4000-8000-000000000000`, 'the ARN of an SNS topic'],
    ['alarmEmail', 'arn:aws:sqs:eu-central-1:123456789012:ops', 'the ARN of an SNS topic'],
    ['alarmEmail', 'arn:aws:sns:eu-central-1:1234:ops', 'the ARN of an SNS topic'],
    ['alarmEmail', 'arn:aws:sns::123456789012:ops', 'the ARN of an SNS topic'],
    ['domainName', 'API', 'host name'],
    ['certificateArn', 'arn:aws:iam::123456789012:role/x', 'certificate'],
    ['hostedZoneId', 'example.com', 'hosted zone'],
    ['logRetentionDays', '8', 'one of 1, 3, 5, 7'],
    ['deliveryConcurrency', '1', 'from 2 to 10000'],
    ['deliveryConcurrency', '1001', 'at most 1000 without queuePollers'],
    ['profile', 'cheap', 'economy, balanced or fast'],
    ['slowDeliveryConcurrency', '1001', 'from 2 to 1000'],
    ['deliveryConcurrency', 2.5, 'a whole number from 2 to 10000'],
    ['concurrentExecutions', '9', 'a whole number from 10 to 1000000'],
    ['apiGatewayLogRole', 'none', 'create or existing'],
    ['batchWindow', '11', 'from 0 to 10'],
    ['deliveryMemory', '128', 'from 256 to 1769'],
    ['queuePollers', '1', 'from 2 to 200'],
    ['warmWrites', '3999', 'from 4000'],
    ['warmReads', '11999', 'from 12000'],
    ['batchWindow', '0.5', 'a whole number of seconds'],
    ['consoleFrameAncestors', '', 'https origins'],
    ['consoleFrameAncestors', '*', 'https origins'],
    ['consoleFrameAncestors', 'https://*.example.com', 'https origins'],
    ['consoleFrameAncestors', 'http://portal.example.com', 'https origins'],
    ['consoleFrameAncestors', 'https://portal.example.com/', 'https origins'],
    ['consoleFrameAncestors', 'https://a.example.com, https://b.example.com', 'without spaces'],
    ['consoleFrameAncestors', "https://a.example.com; script-src 'unsafe-inline'", 'https origins'],
    ['notices', `${topicArn}.fifo`, 'not FIFO'],
    ['noticeAfter', '21', 'a whole number from 1 to 20'],
    ['notices', 'arn:aws:sqs:eu-central-1:123456789012:ops', 'the ARN of an SNS topic'],
    ['stackPrefix', 'acme--hooks', 'single hyphens'],
    ['removalPolicy', 'snapshot', 'retain or destroy'],
    ['vpcId', 'default', 'the id of a VPC'],
    ['subnetIds', '', 'ids of private subnets'],
    ['subnetIds', 'subnet-0a1b2c3d, subnet-4e5f6a7b', 'without spaces'],
    ['vpcAddresses', '203.0.113.0/24', 'public IPv4 addresses'],
    ['permissionsBoundary', 'arn:aws:iam::123456789012:role/boundary', 'the name or the ARN of a policy'],
    ['tracing', 'passthrough', 'none or active'],
    ['backupDays', '0', 'a whole number from 1 to 3650'],
    ['backupCopyTo', 'copies', 'the ARN of a backup vault'],
    ['fixedAddresses', '3', 'a whole number from 0 to 2'],
    ['retentionDays', '0', 'a whole number of days from 1 to 3650'],
    ['retentionDays', '3651', 'from 1 to 3650'],
    ['retentionDays', '1.5', 'a whole number of days'],
    ['tableCapacity', 'PAY_PER_REQUEST', 'on-demand or provisioned'],
    ['tableReadMin', '25', 'together with tableCapacity=provisioned', { tableCapacity: 'on-demand' }],
    ['tableUtilization', '70', 'together with tableCapacity=provisioned', { tableCapacity: 'on-demand' }],
    ['tableReadMin', '0', 'from 1 to 1000000'],
    ['tableReadMin', '4001', 'at most tableReadMax (default 4000)'],
    ['tableReadMax', '24', 'at least tableReadMin (default 25)'],
    ['tableWriteMin', '1.5', 'a whole number'],
    ['tableWriteMin', 4001, 'at most tableWriteMax (default 4000)'],
    ['tableWriteMax', 1_000_001, 'from 1 to 1000000'],
    ['tableUtilization', '19', 'a percentage from 20 to 90'],
    ['tableUtilization', 91, 'a percentage from 20 to 90'],
    ['producers', '', 'account ids or ARNs of roles'],
    ['producers', '*', 'account ids or ARNs of roles'],
    ['producers', '123', 'account ids or ARNs of roles'],
    ['producers', '123456789012,', 'account ids or ARNs of roles'],
    ['producers', '123456789012, 210987654321', 'account ids or ARNs of roles'],
    ['producers', '123456789012,123456789012', 'account ids or ARNs of roles'],
    ['producers', 'arn:aws:iam::*:role/run-engine', 'account ids or ARNs of roles'],
    ['producers', 'arn:aws:iam::123456789012:role/*', 'account ids or ARNs of roles'],
    ['producers', 'arn:aws:iam::123456789012:user/anna', 'account ids or ARNs of roles'],
    ['producers', 'arn:aws:sts::123456789012:assumed-role/run-engine/session', 'account ids or ARNs of roles'],
    ['producers', 'run-engine', 'account ids or ARNs of roles'],
    ['tokenIssuer', 'http://issuer.example.com', 'https'],
    ['tokenIssuer', 'issuer.example.com', 'https'],
    ['tokenIssuer', 'https://Issuer.example.com', 'https'],
    ['tokenIssuer', 'https://user:secret@issuer.example.com', 'https'],
    ['tokenIssuer', 'https://issuer.example.com/?x=1', 'query'],
    ['tokenIssuer', 'https://issuer.example.com/#x', 'fragment'],
    ['tokenAudience', '', 'visible ASCII'],
    ['tokenAudience', 'two words', 'visible ASCII'],
    ['tokenAudience', 'x'.repeat(201), 'up to 200'],
    ['tokenJwksUrl', 'http://keys.example.com/', 'https'],
    ['tokenJwksUrl', 'https://keys.example.com/#x', 'fragment'],
    ['tokenJwksUrl', '/jwks.json', 'https'],
  ])('refuses %s %j, naming the key, the value and the expected value', (key, value, expected, others = {}) => {
    const attempt = () => parse({ tableCapacity: 'provisioned', ...tokens, ...others, [key]: value });

    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(`${key} is ${JSON.stringify(value)}, expected `);
    expect(attempt).toThrow(expected);
  });

  it.each([
    [10, [2, 2, 2, 2]],
    [20, [2, 6, 2, 2]],
    [100, [10, 39, 10, 2]],
    [1_000, [100, 400, 100, 10]],
    [10_000, [1_000, 1_000, 1_000, 100]],
  ])('shares %i concurrent executions among the queue functions and the API', (limit, shares) => {
    expect(concurrencyOf(limit)).toEqual(shares);
  });

  it.each([10, 11, 13, 17, 29, 99])('leaves at least two of %i concurrent executions to the API', (limit) => {
    expect(limit - concurrencyOf(limit).reduce((sum, share) => sum + share)).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['capacity that a stage can start with', { tableCapacity: 'provisioned' }, { tableCapacity: provisioned }],
    ['the profile economy', { profile: 'economy' }, { batchWindow: 5, requestMemory: 256, tableCapacity: provisioned }],
    ['the profile balanced', { profile: 'balanced' }, { batchWindow: 2, requestMemory: 512, tableCapacity: onDemand }],
    ['the profile fast', { profile: 'fast' }, { batchWindow: 0, requestMemory: 512, tableCapacity: onDemand }],
    [
      'settings that go before the profile',
      { profile: 'economy', batchWindow: '0', tableCapacity: onDemand },
      { batchWindow: 0, tableCapacity: onDemand },
    ],
    [
      'bounds of the capacity that the profile provisions',
      { profile: 'economy', tableWriteMin: '40' },
      { tableCapacity: { writes: { min: 40 } } },
    ],
    [
      'more than a thousand delivery functions with pollers of their own',
      { deliveryConcurrency: '10000', queuePollers: '2' },
      { deliveryConcurrency: 10_000 },
    ],
    ['pollers that leave the API enough', { concurrentExecutions: '100', queuePollers: '3' }, { queuePollers: 3 }],
  ])('has %s', (_case, given, expected) => {
    expect(parse(given)).toMatchObject(expected);
  });

  it.each([
    ['a setting beside its former name', { retainData: true, throwAway: false }, 'set retainData only'],
    ['a setting beside its former name', { retainData: false, throwAway: true }, 'set retainData only'],
    [
      'queue functions that leave nothing of concurrentExecutions to the API',
      { concurrentExecutions: '100', deliveryConcurrency: '80' },
      'deliveryConcurrency is 80 and slowDeliveryConcurrency is 10. With 10 for the intake and 2 for bulk replays, ' +
        'these are 102 of 100 concurrentExecutions, and the API needs at least 2. Lower them by 4 ' +
        'together, or raise concurrentExecutions',
    ],
    [
      'pollers that leave nothing to the API: each counts as ten functions',
      { concurrentExecutions: '100', queuePollers: '5' },
      'queuePollers is 5, which lets 50 functions deliver, and slowDeliveryConcurrency is 10. With 50 for the intake ' +
        'and 2 for bulk replays, these are 112 of 100 concurrentExecutions, and the API needs at least 2. ' +
        'Lower them by 14 together, or raise concurrentExecutions',
    ],
    [
      'a minimum above its maximum, by both names',
      { tableCapacity: 'provisioned', tableWriteMin: '500', tableWriteMax: '400' },
      /tableWriteMin is "500", expected .*; tableWriteMax is "400", expected /,
    ],
    ['every wrong setting at once', { stage: 'X', throwAway: 'maybe' }, /stage is "X".*; throwAway is "maybe"/],
    ['a copy of backups that are not made', { backupCopyTo: vaultArn }, 'backupCopyTo is set without backupDays'],
    ['two networks', { ...vpc, fixedAddresses: 1 }, 'vpcId and fixedAddresses are two networks'],
  ])('refuses %s', (_case, given, message) => {
    expect(() => parse(given)).toThrow(message);
  });

  it.each([
    [{ domainName: 'api.example.com' }, 'domainName and certificateArn'],
    [{ certificateArn }, 'domainName and certificateArn'],
    [{ hostedZoneId: 'Z0123456789ABC' }, 'domainName and certificateArn'],
    [{ vpcId: vpc.vpcId }, 'vpcId and subnetIds'],
    [{ subnetIds: vpc.subnetIds }, 'vpcId and subnetIds'],
    [{ vpcAddresses: ['203.0.113.7'] }, 'vpcId and subnetIds'],
    [{ tokenIssuer: tokens.tokenIssuer }, 'tokenIssuer and tokenAudience'],
    [{ tokenAudience: tokens.tokenAudience }, 'tokenIssuer and tokenAudience'],
    [{ tokenJwksUrl: tokens.tokenIssuer }, 'tokenIssuer and tokenAudience'],
  ])('refuses half of what belongs together: %j', (context, both) => {
    expect(() => parse(context)).toThrow(`${both} must be set together`);
  });

  it.each([
    ['every option', everyOption],
    ['a landing zone', landingZone],
    ['the defaults', {}],
  ])('settings with %s are the same when they are checked again, as the construct does', (_, given) => {
    const values = new Map<string, unknown>(Object.entries(given));
    const once = parseSettings((key) => values.get(key));
    const checked = new Map<string, unknown>(Object.entries(once));

    expect(parseSettings((key) => checked.get(key))).toEqual(once);
  });

  it('takes lists and switches as programs write them', () => {
    const given = { producers: ['123456789012'], eventBus: true, supportedPlatforms: ['tiktok'], ...vpc };

    expect(parse(given)).toMatchObject({
      ...{ producers: ['123456789012'], eventBus: true, supportedPlatforms: ['tiktok'] },
      vpc: { id: vpc.vpcId, subnetIds: vpc.subnetIds },
    });
    expect(() => parse({ supportedPlatforms: [] })).toThrow('supportedPlatforms is [], expected lower-case names');
  });
});

/** Of the intake, both lanes of deliveries and the replays. */
function concurrencyOf(concurrentExecutions: number): readonly number[] {
  const config = parse({ concurrentExecutions });
  const { intakeConcurrency, deliveryConcurrency, slowDeliveryConcurrency, replayConcurrency } = config;
  return [intakeConcurrency, deliveryConcurrency, slowDeliveryConcurrency, replayConcurrency];
}
