import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterNames, hrefOf, parseRoute, type Route } from '../../../console/routing/route.ts';
import { anyCharacter } from '../../support/values/any-character.ts';

const id = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
const filters = fc
  .uniqueArray(fc.constantFrom(...filterNames))
  .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), id))))
  .map((entries) => Object.fromEntries(entries));

const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>(
    { view: 'endpoints' },
    { view: 'new-endpoint' },
    { view: 'resend' },
    { view: 'signature' },
    { view: 'runs' },
  ),
  fc.record({ view: fc.constant('endpoint' as const), webhookId: id.filter((text) => text !== 'new') }),
  fc.record({ view: fc.constant('deliveries' as const), filters }),
  fc.record({ view: fc.constant('delivery' as const), webhookId: id, deliveryId: id }),
  fc.record({ view: fc.constant('replays' as const), webhookId: id }),
  fc.record({ view: fc.constant('replay' as const), webhookId: id, replayId: id }),
  fc.record({ view: fc.constant('run' as const), runId: id }),
  fc.record({ view: fc.constant('tracker' as const), trackerId: id }),
  fc.record({ view: fc.constant('report' as const), trackerId: id, reportId: id }),
);

describe('parseRoute()', () => {
  it('reads every address that hrefOf() writes, whatever the ids and filters are', () => {
    fc.assert(
      fc.property(routes, (route) => {
        expect(parseRoute(hrefOf(route))).toEqual(route);
      }),
    );
  });

  it('reads any text without throwing, and what it reads has an address', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(hrefOf(parseRoute(text))).toMatch(/^#\//);
      }),
    );
  });

  it.each(['', '#', '#/', '#/endpoints', 'endpoints'])('%j is the list of endpoints', (fragment) => {
    expect(parseRoute(fragment)).toEqual({ view: 'endpoints' });
  });

  it.each([
    '#/nothing',
    '#/endpoints/',
    '#/endpoints/whe_1/deliveries',
    '#/endpoints/whe_1/else/x',
    '#/endpoints/whe_1/deliveries/whd_1/more',
    '#/deliveries/whd_1',
    '#/runs/run_1/items',
    '#/trackers',
    '#/trackers/trk_1/reports',
    '#/trackers/trk_1/else/x',
    '#/resend/all',
  ])('%s has no view', (fragment) => {
    expect(parseRoute(fragment)).toEqual({ view: 'unknown' });
  });

  it('keeps the known filters that have a value', () => {
    expect(parseRoute('#/deliveries?status=failed&event_type=&cursor=abc&webhook=whe_1')).toEqual({
      view: 'deliveries',
      filters: { status: 'failed', webhook: 'whe_1' },
    });
  });
});
