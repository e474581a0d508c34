import { describe, expect, it } from 'vitest';
import { alarmsOf } from './alarms.ts';
import { everyOption, landingZone, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const stage = await synthesizeStage(everyOption);
const alarms = alarmsOf(stage);

/** What the alarms of a stage notify, each way once. */
function targetsOf(given: SynthesizedStage) {
  const targets = alarmsOf(given).map(({ notifies }) => JSON.stringify(notifies));
  return [...new Set(targets)].map((text) => JSON.parse(text));
}

describe('the alarms', () => {
  it('each alarm is in recorded/alarms.txt, with its severity, what it watches and when it goes off', async () => {
    const rows = alarms.map(
      ({ anchor, severity, watches, goesOff }) =>
        `docs/runbook.md#${anchor}: ${severity}\n  ${watches}\n  ${goesOff}\n`,
    );

    await expect(rows.toSorted().join('\n'), 'Run `npm run record`, then review the file').toMatchFileSnapshot(
      './recorded/alarms.txt',
    );
  });

  it('each alarm notifies the topic of the stage when it goes off and when it ends', () => {
    const [topic] = Object.keys(stage.delivery.findResources('AWS::SNS::Topic')).filter((id) =>
      id.startsWith('AlarmsTopic'),
    );

    expect(topic).toBeDefined();
    expect(targetsOf(stage)).toEqual([{ onAlarm: [{ Ref: topic }], onOk: [{ Ref: topic }] }]);
  });

  it('each alarm notifies the topic that the setting names, and the stage has none of its own', async () => {
    const { alarmEmail } = landingZone;
    const paged = await synthesizeStage(landingZone);

    expect(targetsOf(paged)).toEqual([{ onAlarm: [alarmEmail], onOk: [alarmEmail] }]);
    paged.delivery.resourceCountIs('AWS::SNS::Topic', 0);
    paged.delivery.resourceCountIs('AWS::SNS::TopicPolicy', 0);
  });

  it('without the setting, alarms notify nobody', async () => {
    expect(targetsOf(await synthesizeStage())).toEqual([{ onAlarm: [], onOk: [] }]);
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
