import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#shared/runtime/logger.ts';
import { useOutput } from '../../support/aws/lambda-events.ts';
import { startOfTest } from '../../support/values/builders.ts';

const output = useOutput();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
});

const lines = () =>
  output()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

const logger = (environment: Readonly<Record<string, string>> = {}) =>
  createLogger({ service: 'webhooks', stage: 'test', environment });

describe('createLogger()', () => {
  it('writes the members of Powertools for AWS Lambda, then the facts', () => {
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0';
    const log = logger({ _X_AMZN_TRACE_ID: trace });
    log.appendKeys({ function_request_id: 'request-0' });
    log.appendKeys({ function_request_id: 'request-1' });

    log.info('delivery.attempted', { attempt: 1, text: 'two\nlines' });

    expect(output()).toBe(
      `{"level":"INFO","message":"delivery.attempted","timestamp":"${new Date(startOfTest).toISOString()}","service":"webhooks","function_request_id":"request-1","xray_trace_id":"1-5759e988-bd862e3fe1be46a994272793","attempt":1,"text":"two\\nlines"}\n`,
    );
  });

  it.each([
    { environment: {}, levels: ['INFO', 'WARN', 'ERROR'] },
    { environment: { AWS_LAMBDA_LOG_LEVEL: 'WARN' }, levels: ['WARN', 'ERROR'] },
    { environment: { AWS_LAMBDA_LOG_LEVEL: 'ERROR' }, levels: ['ERROR'] },
    { environment: { AWS_LAMBDA_LOG_LEVEL: 'FATAL' }, levels: [] },
    { environment: { AWS_LAMBDA_LOG_LEVEL: 'unknown' }, levels: ['INFO', 'WARN', 'ERROR'] },
  ])('writes the levels $levels with $environment', ({ environment, levels }) => {
    const log = logger(environment);

    log.info('message');
    log.warn('message');
    log.error('message');

    expect(lines()).toMatchObject(levels.map((level) => ({ level })));
  });

  it('writes warnings and errors to the standard error', () => {
    const log = logger();

    log.warn('message');
    log.error('message');

    expect(vi.mocked(process.stderr.write)).toHaveBeenCalledTimes(2);
    expect(vi.mocked(process.stdout.write)).not.toHaveBeenCalled();
  });
});
