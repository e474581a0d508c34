import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { killTree, Program, type Workplace, whenReady } from '../support/stack/stack-process.ts';

const stackProgram = fileURLToPath(new URL('mortal-stack-main.ts', import.meta.url));

/** The stack as a separate process, on data that outlives it. */
export class MortalStack {
  /** The addresses of the stack; `null` while it does not run or is not ready. */
  info: StackFile | null = null;
  readonly #workplace: Workplace;
  readonly #options: object;
  #program: Program | null = null;
  #isOver = false;

  /** @param port the same for each launch, because the address of the API is part of every event */
  constructor(workplace: Workplace, receiverOrigin: string, port: number) {
    this.#workplace = workplace;
    this.#options = { port, dataDir: 'data', trustedOrigins: [receiverOrigin] };
  }

  /** @throws Error when it was ended */
  async launch(): Promise<Program> {
    if (this.#isOver) throw new Error('Cannot launch the stack: it was ended');
    const { dir } = this.#workplace;
    // Otherwise the files of earlier launches would accumulate.
    await rm(join(dir, 'tmp'), { recursive: true, force: true });
    await mkdir(join(dir, 'tmp'));
    const args = [stackProgram, JSON.stringify(this.#options)];
    const program = await Program.start(process.execPath, args, { cwd: dir });
    this.#program = program;
    if (this.#isOver) await this.kill();
    return program;
  }

  async start(): Promise<StackFile> {
    const { info } = await whenReady(this.#workplace, await this.launch());
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
