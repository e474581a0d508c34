import { describe, expect, it } from 'vitest';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import { outcomeClasses, outcomeClassOf } from '#shared/domain/outcome-class.ts';

describe('outcomeClassOf()', () => {
  it.each([
    ['acknowledged', 204, '2xx'],
    ['rejected', 101, 'invalid_response'],
    ['rejected', 300, '3xx'],
    ['rejected', 399, '3xx'],
    ['rejected', 400, '4xx'],
    ['rejected', 499, '4xx'],
    ['rejected', 500, '5xx'],
    ['rejected', 599, '5xx'],
    ['rejected', 600, 'invalid_response'],
    ['rejected', 999, 'invalid_response'],
    ['timed_out', null, 'timeout'],
    ['dns_failed', null, 'dns'],
    ['connection_failed', null, 'connect'],
    ['tls_failed', null, 'tls'],
    ['address_refused', null, 'refused_address'],
    ['invalid_response', null, 'invalid_response'],
    ['interrupted', null, 'interrupted'],
  ] as const)('%s with status %s is %s', (outcome, responseStatus, expected) => {
    expect(outcomeClassOf({ outcome, responseStatus })).toBe(expected);
  });

  it('every outcome is in one of eleven classes', () => {
    const found = attemptOutcomes.map((outcome) => outcomeClassOf({ outcome, responseStatus: null }));

    expect(found.filter((each) => !outcomeClasses.includes(each))).toEqual([]);
    expect(outcomeClasses).toHaveLength(11);
  });
});
