import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionFolders, operationFolder } from '#shared/contract/functions.ts';
import { operationNames, routes } from '#shared/contract/routes.ts';
import { ConfigError, parseConfig } from '../../lib/config.ts';
import { functionsByFolder, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const parse = (context: Readonly<Record<string, unknown>>) => parseConfig((key) => context[key]);

const tokenIssuer = 'https://issuer.example.com';
const tokenAudience = 'https://api.example.com';

describe('the settings of access tokens', () => {
  it('access tokens are not accepted by default', () => {
    expect(parse({}).tokens).toBeUndefined();
  });

  it.each([
    [tokenIssuer, 'https://issuer.example.com/.well-known/jwks.json'],
    ['https://tenant.example.com/', 'https://tenant.example.com/.well-known/jwks.json'],
    ['https://idp.example.com/pool-1', 'https://idp.example.com/pool-1/.well-known/jwks.json'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/.well-known/jwks.json'],
  ])('the issuer %s is kept unchanged and has a default address of its keys', (issuer, jwksUrl) => {
    expect(parse({ tokenIssuer: issuer, tokenAudience }).tokens).toEqual({
      issuer,
      audience: tokenAudience,
      jwksUrl,
    });
  });

  it('the address of the keys of the issuer can be set', () => {
    const tokenJwksUrl = 'https://keys.example.com/jwks?tenant=1';

    expect(parse({ tokenIssuer, tokenAudience, tokenJwksUrl }).tokens).toMatchObject({
      jwksUrl: tokenJwksUrl,
    });
  });

  it.each([
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
  ])('the value of %s is refused: %j', (key, value, expected) => {
    const attempt = () => parse({ tokenIssuer, tokenAudience, [key]: value });

    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(`${key} is ${JSON.stringify(value)}, expected `);
    expect(attempt).toThrow(expected);
  });

  it.each([{ tokenIssuer }, { tokenAudience }, { tokenJwksUrl: tokenIssuer }])(
    'tokenIssuer and tokenAudience are required together: %j',
    (context) => {
      expect(() => parse(context)).toThrow('tokenIssuer and tokenAudience must be set together');
    },
  );
});

describe('a stage with a token issuer', () => {
  let stage: SynthesizedStage;
  beforeAll(async () => {
    stage = await synthesizeStage({ tokenIssuer, tokenAudience });
  });
  afterAll(() => stage.remove());

  const customerFolders = new Set(
    operationNames.filter((name) => routes[name].access === 'customer').map(operationFolder),
  );

  it.each(functionFolders)('%s receives the token settings if it authenticates, and only then', (folder) => {
    const functions = new Map([...functionsByFolder(stage.api), ...functionsByFolder(stage.delivery)]);

    const variables = Object.entries(functions.get(folder)?.Environment?.Variables ?? {});

    expect(Object.fromEntries(variables.filter(([name]) => name.startsWith('TOKEN_')))).toEqual(
      customerFolders.has(folder)
        ? {
            TOKEN_ISSUER: tokenIssuer,
            TOKEN_AUDIENCE: tokenAudience,
            TOKEN_JWKS_URL: `${tokenIssuer}/.well-known/jwks.json`,
          }
        : {},
    );
  });
});
