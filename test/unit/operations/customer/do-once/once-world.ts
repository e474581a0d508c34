import { randomBytes } from 'node:crypto';
import { decryptAnswer, encryptAnswer } from '#shared/aws/answer-cipher.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import { keyedRequest, requestKey } from '#shared/domain/request-key.ts';
import { doOnce, type OnceDeps } from '#shared/operations/customer/do-once.ts';
import type { SecretSeed } from '#shared/operations/seed.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { keysClient } from '../../../../support/aws/in-process-clients.ts';
import { countingBytes, createClock, unexpected } from '../../../../support/operations/deps.ts';
import { askedTable } from '../../../../support/table/asked-table.ts';
import { type Io, immediateIo } from '../../../../support/table/io.ts';
import { RecordTable } from '../../../../support/table/record-table.ts';
import { type TablePorts, tablePorts } from '../../../../support/table/table-ports.ts';
import { customerId, startOfTest } from '../../../../support/values/builders.ts';
import { testKeyArn } from '../../../../support/values/sealed-secrets.ts';

export const requestOf = (body: unknown, key = 'key-1') =>
  keyedRequest(requestKey(customerId, key), 'registerWebhook', body);

/** Requests with keys, on a table in this process. */
export class OnceWorld {
  readonly clock = createClock(startOfTest);
  readonly table = new RecordTable(this.clock.now);
  readonly reports: TelemetryEvent[] = [];
  readonly randomBytes = countingBytes();
  readonly ports: TablePorts;
  readonly deps: OnceDeps;
  readonly once: ReturnType<typeof doOnce>;
  readonly unexpectedRun = unexpected('run');
  onWait = (): void => {};

  constructor(given: Partial<OnceDeps> = {}, io: Io = immediateIo) {
    const { now } = this.clock;
    this.ports = tablePorts(askedTable(this.table, { io }));
    const keys = keysClient(io);
    const secretCache = { maxEntries: 100, timeToLive: 300_000, now, monotonic: now };
    this.deps = {
      ...this.ports,
      now,
      wait: async (milliseconds) => {
        this.clock.pass(milliseconds);
        this.onWait();
        await new Promise((resolve) => setImmediate(resolve));
      },
      randomBytes: this.randomBytes,
      report: (event) => void this.reports.push(event),
      encryptAnswer: encryptAnswer(keys, testKeyArn, randomBytes),
      decryptAnswer: decryptAnswer(keys, testKeyArn),
      encryptSecret: encryptSecret(keys, testKeyArn),
      decryptSecret: decryptSecret(keys, testKeyArn, secretCache),
      ...given,
    };
    this.once = doOnce(this.deps);
  }

  /** Does nothing for a request but to look at its seed. */
  async seedOf(request: Parameters<typeof this.once>[0]): Promise<SecretSeed> {
    const { promise, resolve } = Promise.withResolvers<SecretSeed>();
    await this.once(request, async (seed) => {
      resolve(seed);
      return null;
    });
    return promise;
  }
}
