import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { killTree, Program, type Workplace, whenReady } from '../support/stack/stack-process.ts';
import type { Receivers } from './receivers.ts';

const stackProgram = fileURLToPath(new URL('mortal-stack-main.ts', import.meta.url));

/** The waits of 10 and 50 minutes become 0.5 and 2.5 seconds. */
const timeScale = 1200;

/** The stack as a separate process, on data that outlives it. */
export class MortalStack {
  readonly workplace: Workplace;
  readonly receivers: Receivers;
  /** The same for each launch, because the address of the API is part of every event. */
  readonly #port: number;
  /** The number of launches. */
  starts = 0;
  /** The addresses of the stack; `null` while it does not run or is not ready. */
  info: StackFile | null = null;
  #program: Program | null = null;
  #isOver = false;

  constructor(workplace: Workplace, receivers: Receivers, port: number) {
    this.workplace = workplace;
    this.receivers = receivers;
    this.#port = port;
  }

  /** @throws Error when it was ended */
  async launch(): Promise<Program> {
    if (this.#isOver) throw new Error('Cannot launch the stack: it was ended');
    // Otherwise the files of earlier launches would accumulate.
    const { dir } = this.workplace;
    const temporary = join(dir, 'tmp');
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary);
    const options = {
      port: this.#port,
      timeScale,
      dataDir: 'data',
      trustedOrigins: [this.receivers.origin],
      keptApps: join(dir, 'apps'),
    };
    const args = [stackProgram, JSON.stringify(options)];
    this.#program = await Program.start(process.execPath, args, { cwd: dir });
    this.starts += 1;
    const program = this.#program;
    if (this.#isOver) await this.kill();
    return program;
  }

  async start(): Promise<StackFile> {
    const { info } = await whenReady(this.workplace, await this.launch());
    this.info = info;
    return info;
  }

  async kill(): Promise<void> {
    const program = this.#program;
    this.#program = null;
    if (program !== null) await killTree(program);
    this.info = null;
  }

  /** Kills it; it cannot be launched again. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.kill();
  }
}
