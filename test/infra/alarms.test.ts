import { describe, expect, it } from 'vitest';
import { alarmsOf } from './alarms.ts';
import { everyOption, synthesizeStage } from './synthesized-stage.ts';

const stage = await synthesizeStage(everyOption);
const alarms = alarmsOf(stage);

describe('the alarms', () => {
  it('each alarm is in recorded/alarms.txt, with its severity, what it watches and when it goes off', async () => {
    const rows = alarms.map(
      ({ anchor, severity, watches, goesOff }) =>
        `docs/runbook.md#${anchor}: ${severity}\n  ${watches}\n  ${goesOff}\n`,
    );

    await expect(
      rows.toSorted().join('\n'),
      'Run `npm run record`, then review the file',
    ).toMatchFileSnapshot('./recorded/alarms.txt');
  });

  it('each alarm notifies the topic once', () => {
    expect(alarms.filter(({ actions }) => actions !== 1)).toEqual([]);
  });

  it('no alarm watches more than the ten metrics that CloudWatch accepts', () => {
    expect(Math.max(...alarms.map(({ metrics }) => metrics.length))).toBeLessThanOrEqual(10);
  });

  it('only a stage with an event bus or with notices has their alarms', async () => {
    const plain = alarmsOf(await synthesizeStage());

    const others = ['events-of-the-bus-do-not-arrive', 'notices-do-not-arrive'];
    const expected = alarms.map(({ anchor }) => anchor).filter((anchor) => !others.includes(anchor));
    expect(expected.length).toBe(alarms.length - 3);
    expect(plain.map(({ anchor }) => anchor).toSorted()).toEqual(expected.toSorted());
  });

  it('alarms reach the given email address', () => {
    stage.delivery.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });
});
