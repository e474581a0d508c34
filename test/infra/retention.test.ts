import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentNames } from '#shared/contract/environment.ts';
import type { FunctionFolder } from '#shared/contract/functions.ts';
import { functionsByFolder, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const stages: SynthesizedStage[] = [];

beforeAll(async () => {
  stages.push(await synthesizeStage(), await synthesizeStage({ retentionDays: '30' }));
});
afterAll(() => Promise.all(stages.map(({ remove }) => remove())));

/** The retention that each function of a stage receives; functions without one are left out. */
function retentionIn(stage: SynthesizedStage | undefined) {
  const templates = stage === undefined ? [] : [stage.api, stage.delivery];
  const deployed = templates.flatMap((template) => [...functionsByFolder(template)]);
  return deployed.flatMap(([folder, { Environment }]) => {
    const days = Environment?.Variables[environmentNames.retentionDays];
    return days === undefined ? [] : [[folder, days]];
  });
}

/** Functions that write rows which expire. */
const writing: readonly FunctionFolder[] = [
  'api/register-webhook',
  'api/replay-delivery',
  'queue/deliver',
  'queue/deliver-slow',
  'queue/intake',
  'queue/replay',
];

describe('the setting retentionDays', () => {
  it('reaches the functions that store results or end deliveries, and no other', () => {
    expect(retentionIn(stages[1]).toSorted()).toEqual(writing.map((folder) => [folder, '30']));
  });

  it('reaches no function by default', () => {
    expect(retentionIn(stages[0])).toEqual([]);
  });
});
