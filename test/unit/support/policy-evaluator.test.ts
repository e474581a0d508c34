import { describe, expect, it } from 'vitest';
import { type AccessRequest, isAllowed, type PolicyStatement } from '../../support/aws/policy-evaluator.ts';

const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/webhooks';
const leadingKeys = 'dynamodb:LeadingKeys';

const allow = (more: Partial<PolicyStatement> = {}): PolicyStatement => ({
  Effect: 'Allow',
  Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'],
  Resource: table,
  ...more,
});
const onCustomers = allow({
  Condition: { 'ForAllValues:StringLike': { [leadingKeys]: ['CUS#*', 'DLV#*'] } },
});
const get = (...keys: readonly string[]): AccessRequest => ({
  action: 'dynamodb:GetItem',
  resource: table,
  ...(keys.length === 0 ? {} : { context: { [leadingKeys]: keys } }),
});

describe('the policy evaluator', () => {
  it('the policy evaluator allows an action on a resource that a statement allows', () => {
    expect(isAllowed([allow()], get())).toBe(true);
  });

  it.each<[string, AccessRequest]>([
    ['another action', { ...get(), action: 'dynamodb:PutItem' }],
    ['an action of which the allowed one is a part', { ...get(), action: 'dynamodb:GetItems' }],
    ['another resource', { ...get(), resource: `${table}/index/listed` }],
  ])('denies %s', (_, request) => {
    expect(isAllowed([allow()], request)).toBe(false);
  });

  it('the policy evaluator denies everything when there is no statement', () => {
    expect(isAllowed([], get())).toBe(false);
  });

  it('the policy evaluator matches wildcards of actions and resources', () => {
    const statement = allow({ Action: 'dynamodb:Get*', Resource: `${table}*` });

    expect(isAllowed([statement], { ...get(), resource: `${table}/index/listed` })).toBe(true);
    expect(isAllowed([statement], { ...get(), action: 'dynamodb:PutItem' })).toBe(false);
  });

  it('the policy evaluator matches dots and other special characters literally', () => {
    expect(isAllowed([allow({ Resource: 'a.b+(c)' })], { ...get(), resource: 'a.b+(c)' })).toBe(true);
    expect(isAllowed([allow({ Resource: 'a.b' })], { ...get(), resource: 'axb' })).toBe(false);
  });

  it.each([
    [['CUS#1'], true],
    [['CUS#1', 'DLV#1#2#0'], true],
    [['KEY#1'], false],
    [['CUS#1', 'KEY#1'], false],
    [['CUSTOMERS'], false],
    [['XCUS#1'], false],
  ])(
    'the policy evaluator requires every key of a request to meet a condition for all values: %j',
    (keys, expected) => {
      expect(isAllowed([onCustomers], get(...keys))).toBe(expected);
    },
  );

  it('the policy evaluator denies keys that no single statement allows', () => {
    const only = (pattern: string) =>
      allow({ Condition: { 'ForAllValues:StringLike': { [leadingKeys]: pattern } } });

    expect(isAllowed([only('CUS#*'), only('DLV#*')], get('CUS#1'))).toBe(true);
    expect(isAllowed([only('CUS#*'), only('DLV#*')], get('CUS#1', 'DLV#1'))).toBe(false);
  });

  it('the policy evaluator treats a condition for all values as met when the request lacks the key, as IAM does', () => {
    expect(isAllowed([onCustomers], get())).toBe(true);
  });

  it('the policy evaluator treats a condition for any value as not met when the request lacks the key, as IAM does', () => {
    const statement = allow({ Condition: { 'ForAnyValue:StringEquals': { [leadingKeys]: 'CUS#1' } } });

    expect(isAllowed([statement], get())).toBe(false);
    expect(isAllowed([statement], get('CUS#1', 'KEY#1'))).toBe(true);
  });

  it('the policy evaluator checks whether a key is absent', () => {
    const statement = allow({ Condition: { Null: { [leadingKeys]: 'false' } } });

    expect(isAllowed([statement], get('CUS#1'))).toBe(true);
    expect(isAllowed([statement], get())).toBe(false);
  });

  it('the policy evaluator denies what one statement allows and another denies', () => {
    expect(isAllowed([allow(), { ...allow(), Effect: 'Deny' }], get())).toBe(false);
  });

  it.each<[string, object]>([
    ['an operator', { Condition: { DateLessThan: { 'aws:CurrentTime': '2030-01-01T00:00:00Z' } } }],
    ['a quantifier', { Condition: { 'ForSome:StringLike': { [leadingKeys]: 'CUS#*' } } }],
    ['a member', { NotAction: 'dynamodb:Scan' }],
    ['an intrinsic function', { Resource: { Ref: 'Table' } }],
  ])('refuses %s that it does not know', (_, more) => {
    expect(() => isAllowed([{ ...allow(), ...more }], get('CUS#1'))).toThrow();
  });
});
