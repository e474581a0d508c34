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

const withCondition = (operator: string, value: string) =>
  allow({ Condition: { [operator]: { [leadingKeys]: value } } });
const likely = (pattern: string) => withCondition('ForAllValues:StringLike', pattern);
const anyKey = withCondition('ForAnyValue:StringEquals', 'CUS#1');
const withKey = withCondition('Null', 'false');
const wild = allow({ Action: 'dynamodb:Get*', Resource: `${table}*` });
const onIndex = { ...get(), resource: `${table}/index/listed` };

// What it would wrongly deny fails where it is used; what it would wrongly allow would go unseen.
describe('the policy evaluator', () => {
  it.each<readonly [string, boolean, readonly PolicyStatement[], AccessRequest]>([
    ['an allowed action on an allowed resource', true, [allow()], get()],
    ['another action', false, [allow()], { ...get(), action: 'dynamodb:PutItem' }],
    ['an action of which the allowed one is a part', false, [allow()], { ...get(), action: 'dynamodb:GetItems' }],
    ['another resource', false, [allow()], onIndex],
    ['anything without a statement', false, [], get()],
    ['what wildcards do not match', false, [wild], { ...get(), action: 'dynamodb:PutItem' }],
    ['what a dot would match as a pattern', false, [allow({ Resource: 'a.b' })], { ...get(), resource: 'axb' }],
    ['a key of another kind', false, [onCustomers], get('KEY#1')],
    ['a key of another kind among others', false, [onCustomers], get('CUS#1', 'KEY#1')],
    ['a key that begins like a kind', false, [onCustomers], get('CUSTOMERS')],
    ['a key that ends like a kind', false, [onCustomers], get('XCUS#1')],
    ['keys that no single statement allows', false, [likely('CUS#*'), likely('DLV#*')], get('CUS#1', 'DLV#1')],
    ['a condition for all values of no key, as IAM does', true, [onCustomers], get()],
    ['a condition for any value of no key, as IAM does', false, [anyKey], get()],
    ['a key that must be present', true, [withKey], get('CUS#1')],
    ['the absence of a key that must be present', false, [withKey], get()],
    ['what another statement denies', false, [allow(), { ...allow(), Effect: 'Deny' }], get()],
  ])('the answer to %s is %s', (_case, expected, statements, request) => {
    expect(isAllowed(statements, request)).toBe(expected);
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
