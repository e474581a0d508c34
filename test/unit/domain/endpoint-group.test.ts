import { describe, expect, it } from 'vitest';
import { digest } from '#shared/domain/derived-id.ts';
import { endpointGroupOf, endpointGroups } from '#shared/domain/endpoint-group.ts';
import { makeId } from '#shared/domain/ids.ts';

describe('endpointGroupOf()', () => {
  it('puts about an eighth of the endpoints into each of eight groups', () => {
    const ids = Array.from({ length: 8_000 }, (_, index) => makeId('webhook', index, digest(String(index))));

    const sizes = Object.values(Object.groupBy(ids, endpointGroupOf)).map((group) => group.length);

    expect(sizes).toHaveLength(endpointGroups.length);
    expect(Math.min(...sizes)).toBeGreaterThan(800);
    expect(Math.max(...sizes)).toBeLessThan(1_200);
  });

  it('an endpoint stays in its group', () => {
    expect(endpointGroupOf('whe_01M7WD7TZMT3C8KGKECRFW3QMV')).toBe('3');
    expect(endpointGroupOf('not an id')).toBe('0');
  });
});
