import { describe, expect, it } from 'vitest';
import { endpointOf, filtersOf, searched, searchedIds } from '../../../console/views/deliveries/search.ts';

const id = '01M8338MX0BJHVCXWDXRRPKCA6';

describe('searched()', () => {
  it.each([
    [` evt_${id} `, { kind: 'filter', filters: { event_id: `evt_${id}` } }],
    ['run_1', { kind: 'filter', filters: { run_id: 'run_1' } }],
    ['run_2026-11-28_a', { kind: 'filter', filters: { run_id: 'run_2026-11-28_a' } }],
    ['  ', { kind: 'filter', filters: {} }],
    [`whd_${id}`, { kind: 'delivery', id: `whd_${id}` }],
    [`whe_${id}`, { kind: 'endpoint', id: `whe_${id}` }],
  ])('%j is what its prefix says', (text, found) => {
    expect(searched(text)).toEqual(found);
  });

  it.each(['abc', 'whsec_1', 'run_', 'run_1 run_2', id])('%j is no id, so it says which it takes', (text) => {
    expect(searched(text)).toEqual({ kind: 'nothing', error: searchedIds });
  });

  it.each(['evt_1', `whd_${id.slice(1)}`, `whe_${id}0`, `evt_${id.toLowerCase()}`])('%j is not whole', (text) => {
    expect(searched(text)).toMatchObject({ kind: 'nothing', error: expect.stringContaining('26 digits') });
  });
});

describe('filtersOf()', () => {
  const filters = { webhook: 'whe_1', status: 'failed', event_type: 'run.completed', run_id: 'run_0' };

  it('a found id takes the place of every other filter but the endpoint', () => {
    expect(filtersOf(filters, { event_id: 'evt_1' })).toEqual({ webhook: 'whe_1', event_id: 'evt_1' });
    expect(filtersOf({ status: 'failed' }, { run_id: 'run_1' })).toEqual({ run_id: 'run_1' });
  });

  it('an empty search removes the id only', () => {
    const { run_id: _removed, ...rest } = filters;

    expect(filtersOf(filters, {})).toEqual(rest);
  });
});

describe('endpointOf()', () => {
  const asked = (answers: Readonly<Record<string, boolean>>) => async (webhookId: string) => {
    const answer = answers[webhookId];
    if (answer === undefined) throw new Error(`no answer of ${webhookId}`);
    return answer;
  };

  it('is the endpoint that has the delivery, even when another one gave no answer', async () => {
    expect(await endpointOf(['whe_1', 'whe_2'], asked({ whe_2: true }))).toBe('whe_2');
    expect(await endpointOf(['whe_1'], asked({ whe_1: false }))).toBeNull();
    expect(await endpointOf([], asked({}))).toBeNull();
  });

  it('is not known while an endpoint gave no answer and no other one has it', async () => {
    await expect(endpointOf(['whe_1', 'whe_2'], asked({ whe_1: false }))).rejects.toThrow('no answer of whe_2');
  });
});
