import { describe, expect, it } from 'vitest';
import { readLocalIssuerOrigin, readLocalSettings } from '#shared/runtime/local-settings.ts';

const origins = '["https://receiver.localhost:9443"]';

describe('readLocalSettings()', () => {
  it.each([{}, { AWS_LAMBDA_FUNCTION_NAME: 'deliver', AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }])(
    'relaxes nothing when nothing is set (%o)',
    (env) => {
      expect(readLocalSettings(env)).toEqual({
        trustedOrigins: new Set(),
        nameServers: undefined,
        dueToleranceMs: 0,
      });
    },
  );

  it('trusts the origins and asks the name servers that the local stack names', () => {
    const env = { LOCAL_TRUSTED_ORIGINS: origins, LOCAL_NAME_SERVERS: '["127.0.0.1:5353"]' };

    expect(readLocalSettings(env)).toMatchObject({
      trustedOrigins: new Set(['https://receiver.localhost:9443']),
      nameServers: ['127.0.0.1:5353'],
    });
  });

  it.each(['1', '600'])('lets attempts come early at every time scale of the local stack (%s)', (scale) => {
    const { dueToleranceMs } = readLocalSettings({ LOCAL_TIME_SCALE: scale });

    expect(dueToleranceMs).toBeGreaterThanOrEqual(50 * 60_000);
  });

  it.each([
    { LOCAL_TRUSTED_ORIGINS: origins, AWS_LAMBDA_FUNCTION_NAME: 'deliver' },
    { LOCAL_TRUSTED_ORIGINS: origins, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    { LOCAL_TRUSTED_ORIGINS: '[]', AWS_LAMBDA_FUNCTION_NAME: 'deliver' },
    { LOCAL_TRUSTED_ORIGINS: '', AWS_LAMBDA_FUNCTION_NAME: '' },
    { LOCAL_TIME_SCALE: '1', AWS_EXECUTION_ENV: '' },
    { LOCAL_NAME_SERVERS: '["127.0.0.1:5353"]', AWS_LAMBDA_FUNCTION_NAME: 'deliver' },
  ])('refuses to start inside Lambda with %o', (env) => {
    expect(() => readLocalSettings(env)).toThrow(/^Cannot start: LOCAL_[A-Z_]+ must not be set in Lambda$/);
  });

  it.each([
    { LOCAL_TRUSTED_ORIGINS: '' },
    { LOCAL_TRUSTED_ORIGINS: 'https://receiver.localhost:9443' },
    { LOCAL_TRUSTED_ORIGINS: '["http://receiver.localhost:9443"]' },
    { LOCAL_TRUSTED_ORIGINS: '["receiver.localhost"]' },
    { LOCAL_TRUSTED_ORIGINS: '{}' },
    { LOCAL_NAME_SERVERS: '127.0.0.1:5353' },
    { LOCAL_TIME_SCALE: '0' },
    { LOCAL_TIME_SCALE: '-5' },
    { LOCAL_TIME_SCALE: 'fast' },
  ])('refuses to start with %o', (env) => {
    expect(() => readLocalSettings(env)).toThrow();
  });
});

describe('readLocalIssuerOrigin()', () => {
  const LOCAL_ISSUER_ORIGIN = 'http://127.0.0.1:9000';

  it('is the origin that the local stack sets, if it sets one', () => {
    expect(readLocalIssuerOrigin({ LOCAL_ISSUER_ORIGIN })).toBe(LOCAL_ISSUER_ORIGIN);
    expect(readLocalIssuerOrigin({ AWS_LAMBDA_FUNCTION_NAME: 'get-webhook' })).toBeUndefined();
  });

  it.each([{ AWS_LAMBDA_FUNCTION_NAME: 'get-webhook' }, { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }])(
    'refuses to start inside Lambda with an issuer (%o)',
    (env) => {
      expect(() => readLocalIssuerOrigin({ LOCAL_ISSUER_ORIGIN, ...env })).toThrow(
        'Cannot start: LOCAL_ISSUER_ORIGIN must not be set in Lambda',
      );
    },
  );

  it.each(['', 'http://issuer.example.com:80', 'http://127.0.0.1', 'http://127.0.0.1:9000/', 'https://127.0.0.1:1'])(
    'refuses to start with the issuer %j',
    (origin) => {
      expect(() => readLocalIssuerOrigin({ LOCAL_ISSUER_ORIGIN: origin })).toThrow();
    },
  );
});
