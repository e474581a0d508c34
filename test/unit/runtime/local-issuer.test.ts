import { describe, expect, it } from 'vitest';
import { readLocalIssuerOrigin } from '#shared/runtime/local-issuer.ts';

describe('readLocalIssuerOrigin()', () => {
  it.each([{}, { AWS_LAMBDA_FUNCTION_NAME: 'get-webhook' }])(
    'readLocalIssuerOrigin() is undefined unless it is set (%o)',
    (env) => {
      expect(readLocalIssuerOrigin(env)).toBeUndefined();
    },
  );

  it('readLocalIssuerOrigin() is the origin that the local stack sets', () => {
    expect(readLocalIssuerOrigin({ LOCAL_ISSUER_ORIGIN: 'http://127.0.0.1:9000' })).toBe(
      'http://127.0.0.1:9000',
    );
  });

  it.each([{ AWS_LAMBDA_FUNCTION_NAME: 'get-webhook' }, { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }])(
    'refuses to start inside Lambda (%o)',
    (env) => {
      expect(() => readLocalIssuerOrigin({ LOCAL_ISSUER_ORIGIN: 'http://127.0.0.1:9000', ...env })).toThrow(
        'Cannot start: LOCAL_ISSUER_ORIGIN must not be set in Lambda',
      );
    },
  );

  it.each([
    '',
    'http://issuer.example.com:80',
    'http://127.0.0.1',
    'http://127.0.0.1:9000/',
    'https://127.0.0.1:9000',
  ])('refuses to start with %j', (origin) => {
    expect(() => readLocalIssuerOrigin({ LOCAL_ISSUER_ORIGIN: origin })).toThrow();
  });
});
