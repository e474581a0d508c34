import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { metrics } from '#shared/contract/metrics.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { synthesizeApp } from '../../local/stack/synthesize-app.ts';
import { startNameServer } from '../support/http/name-server.ts';
import { type AlarmProperties, alarmProperties, alarmStates } from '../support/metrics/alarm.ts';
import { readEmbedded } from '../support/metrics/embedded-format.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { setSmallScene } from './small-scene.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

const hostname = 'hooks.receivers.test';
/** The period of the alarm. Each is played as fast as one attempt at every endpoint takes. */
const period = 5 * 60_000;

describe('the alarm over most attempts', () => {
  it('the alarm goes off during ten minutes without DNS, and neither before nor after', async () => {
    const { customers, endpoints, lines, nameServer, alarms } = await setScene();
    const outcomes: unknown[] = [];
    const data = [];
    for (const [index, answers] of [true, true, false, false, true, true].entries()) {
      nameServer.answers = answers;
      const before = lines.length;
      for (const customer of customers) await customer.settleRun();
      const made = await eventually(async () => {
        const attempted = lines.slice(before).filter((line) => line.includes('"delivery.attempted"'));
        expect(attempted).toHaveLength(endpoints.length);
        return attempted.flatMap((line) => readEmbedded(line).data);
      });
      data.push(...made.map((datum) => ({ ...datum, at: index * period })));
      const attempts = made.filter(({ name }) => name === metrics.attempts.name);
      outcomes.push([...new Set(attempts.map(({ dimensions }) => dimensions.outcome_class))]);
    }

    const states = alarmStates(only(alarms), data, 0, 6 * period).map(({ state }) => state);
    expect(outcomes).toEqual([['2xx'], ['2xx'], ['dns'], ['dns'], ['2xx'], ['2xx']]);
    expect(states).toEqual(['OK', 'OK', 'OK', 'ALARM', 'ALARM', 'OK']);
  });
});

/** A stack whose functions look up the host of every endpoint at a name server of the test. */
async function setScene() {
  const nameServer = { answers: true };
  const server = await startNameServer((question) => {
    if (!nameServer.answers || !question.endsWith(` ${hostname}`)) return 'nxdomain';
    return question.startsWith('A ') ? [[127, 0, 0, 1]] : [];
  });
  parts.defer(() => server.close());
  const lines: string[] = [];
  const alarms: AlarmProperties[] = [];
  const scene = await setSmallScene(parts, {
    hostname,
    // Ids are random: fifteen endpoints are in three groups of eight or more, which the alarm needs.
    customers: 3,
    endpointsEach: 5,
    onPost: () => {},
    options: {
      nameServers: [server.address],
      synthesize: async (request) => {
        await synthesizeApp(request);
        alarms.push(await readAlarm(request.outDir));
      },
      onLogLine: (_source, line) => lines.push(line),
    },
  });
  return { ...scene, lines, alarms, nameServer };
}

const template = z.object({
  Resources: z.record(z.string(), z.object({ Properties: z.unknown().optional() })),
});

/** The alarm over most attempts, in the templates of the stack that runs. */
async function readAlarm(outDir: string): Promise<AlarmProperties> {
  const files = (await readdir(outDir)).filter((name) => name.endsWith('.template.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(outDir, file), 'utf8')));
  const described = z.object({
    AlarmDescription: z.string().endsWith(`#${runbookAnchors.mostAttemptsFail}`),
  });
  const resources = texts.flatMap((text) => Object.values(template.parse(JSON.parse(text)).Resources));
  const found = resources.filter(({ Properties }) => described.safeParse(Properties).success);
  return alarmProperties.parse(only(found).Properties);
}
