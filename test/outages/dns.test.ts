import { afterEach, describe, expect, it } from 'vitest';
import { metrics } from '#shared/contract/metrics.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { type AlarmState, alarmStates } from '../support/metrics/alarm.ts';
import { type Datum, readEmbedded } from '../support/metrics/embedded-format.ts';
import { eventually } from '../support/stack/eventually.ts';
import { createWorkplace } from '../support/stack/stack-process.ts';
import { type NamedScene, otherGroups, setNamedScene } from './named-scene.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

const minute = 60_000;
/** The period of the alarm. */
const period = 5 * minute;
/** When the outage begins, in the time of the alarm: a start of a period. */
const outageAt = 1_000 * period;

/** Retries follow after 3 and 15 seconds. */
const timeScale = 200;
const roundMs = 300;
/** Attempts that each healthy endpoint gets in a period at least, so that a busy machine lengthens the period. */
const attemptsInPeriod = 4;

describe('the alarm over most attempts', () => {
  it('the alarm goes off during ten minutes without DNS, and neither before nor after, nor for one dead endpoint', async () => {
    const workplace = await createWorkplace();
    parts.defer(() => workplace.remove());
    const scene = await setNamedScene(workplace, timeScale, parts);
    const stopLoad = startLoad(scene);
    const starts: number[] = [];
    const playTwoPeriods = async (answers: boolean) => {
      scene.nameServer.answers = answers;
      for (let played = 0; played < 2; played += 1) starts.push(await playPeriod(scene));
    };

    await playTwoPeriods(true);
    await playTwoPeriods(false);
    await playTwoPeriods(true);
    const endedAt = Date.now();
    await stopLoad();

    const data = readData(scene.lines, alarmClock([...starts, endedAt]));
    const alarm = scene.alarm(`#${runbookAnchors.mostAttemptsFail}`);
    const states = alarmStates(alarm, data, outageAt - 2 * period, outageAt + 4 * period);
    expect(states.map(minutesAndState)).toEqual([
      [-10, 0, 'OK'],
      [-5, 0, 'OK'],
      [0, 1, 'OK'],
      [5, 1, 'ALARM'],
      [10, 0, 'ALARM'],
      [15, 0, 'OK'],
    ]);
    expect(otherGroups(scene.healthyEndpoints, scene.deadEndpoint).size).toBeGreaterThan(3);
    const before = outcomes(data, outageAt - 2 * period, outageAt);
    const during = outcomes(data, outageAt + period, outageAt + 2 * period);
    expect([before.has('dns'), before.has('2xx')]).toEqual([false, true]);
    expect([during.has('dns'), during.has('2xx')]).toEqual([true, false]);
    expect(shareOfTheDead(scene, data, outageAt)).toBeGreaterThan(0.5);
  });
});

/** In each round, every healthy customer has an event, and the dead endpoint gets twice as many as all of them. */
function startLoad({ healthy, healthyEndpoints, dead }: NamedScene): () => Promise<void> {
  const sending: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    for (const customer of healthy) sending.push(customer.settleRun());
    for (let count = 0; count < 2 * healthyEndpoints.length; count += 1) sending.push(dead.settleRun());
  }, roundMs);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(sending);
  };
  parts.defer(stop);
  return stop;
}

/**
 * Waits until every healthy endpoint got attempts, and the dead one more than all of them.
 *
 * @returns when the period began, epoch milliseconds
 */
async function playPeriod({ lines, healthyEndpoints, deadEndpoint }: NamedScene): Promise<number> {
  const startedAt = Date.now();
  const before = lines.length;
  await eventually(async () => {
    const made = lines.slice(before).filter((line) => line.includes('"delivery.attempted"'));
    const attemptsAt = (id: string) => made.filter((line) => line.includes(id)).length;
    for (const id of healthyEndpoints) expect(attemptsAt(id)).toBeGreaterThanOrEqual(attemptsInPeriod);
    expect(attemptsAt(deadEndpoint)).toBeGreaterThan(made.length / 2);
  });
  return startedAt;
}

/** Turns the time of a line into the time of the alarm, in which each period takes as long as the others. */
function alarmClock(starts: readonly number[]): (at: number) => number {
  const first = outageAt - 2 * period;
  return (at) => {
    const index = starts.findLastIndex((start) => start <= at);
    const [start, next] = [starts[index], starts[index + 1]];
    if (start === undefined) return first - 1;
    return first + (index + (next === undefined ? 0 : (at - start) / (next - start))) * period;
  };
}

type Named = Datum & { readonly webhookId: unknown };

function readData(lines: readonly string[], clock: (at: number) => number): readonly Named[] {
  return lines.flatMap((line) => {
    const { data, facts } = readEmbedded(line);
    return data.map((datum) => ({ ...datum, at: clock(datum.at), webhookId: facts.webhook_id }));
  });
}

function minutesAndState({ at, value, state }: AlarmState) {
  return [(at - outageAt) / minute, value, state] as const;
}

function attempts(data: readonly Named[], from: number, to: number): readonly Named[] {
  return data.filter(({ name, at }) => name === metrics.attempts.name && at >= from && at < to);
}

function outcomes(data: readonly Named[], from: number, to: number): ReadonlySet<string | undefined> {
  return new Set(attempts(data, from, to).map(({ dimensions }) => dimensions.outcome_class));
}

/** The share of the attempts before a time that the dead endpoint got. */
function shareOfTheDead({ deadEndpoint }: NamedScene, data: readonly Named[], before: number): number {
  const made = attempts(data, 0, before);
  return made.filter(({ webhookId }) => webhookId === deadEndpoint).length / made.length;
}
