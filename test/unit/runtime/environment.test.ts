import { describe, expect, it, vi } from 'vitest';
import { booleanSetting, optionalSetting, setting } from '#shared/runtime/environment.ts';

describe('setting()', () => {
  it('reads what the function was deployed with', () => {
    vi.stubEnv('TABLE_NAME', 'webhooks');

    expect(setting('tableName')).toBe('webhooks');
  });

  it.each([undefined, ''])('does not start with %j', (value) => {
    vi.stubEnv('TABLE_NAME', value);

    expect(() => setting('tableName')).toThrow('Cannot start: TABLE_NAME is not set');
  });
});

describe('booleanSetting()', () => {
  it.each([
    ['true', true],
    ['false', false],
  ])('reads %j as %j', (value, read) => {
    vi.stubEnv('STANDARD_WEBHOOKS', value);

    expect(booleanSetting('standardWebhooks')).toBe(read);
  });

  it.each(['TRUE', '1', 'on'])('does not start with %j', (value) => {
    vi.stubEnv('STANDARD_WEBHOOKS', value);

    expect(() => booleanSetting('standardWebhooks')).toThrow(
      `Cannot start: STANDARD_WEBHOOKS is "${value}", expected true or false`,
    );
  });
});

it.each([
  ['webhooks', 'webhooks'],
  ['', undefined],
  [undefined, undefined],
])('optionalSetting() reads %j as %j', (value, read) => {
  vi.stubEnv('TABLE_NAME', value);

  expect(optionalSetting('tableName')).toBe(read);
});
