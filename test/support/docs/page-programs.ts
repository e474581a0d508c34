import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { blockAfter } from './page-blocks.ts';

/** The languages of programs in pages, and how each is run. */
const languages = {
  shell: { extension: 'sh', needs: ['curl', 'jq', 'openssl'], command: 'sh' },
  javascript: { extension: 'mjs', needs: [], command: process.execPath },
  python: { extension: 'py', needs: ['python3'], command: 'python3' },
} as const;

export type Language = keyof typeof languages;

export type ProgramResult = {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
};

export function isInstalled(language: Language): boolean {
  return languages[language].needs.every((program) => spawnSync(program, ['--version']).error === undefined);
}

/** The program that follows `<!-- program: <name> -->` on a page. @throws Error if there is none */
export function readProgram(page: string, name: string): string {
  return blockAfter(page, `<!-- program: ${name} -->\n`);
}

/** What a reader has beside the program. */
type Surroundings = {
  /** Replaces `https://api.example.com`. */
  readonly api?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Contents of files in the folder of the program, by name. */
  readonly files?: Readonly<Record<string, string>>;
};

/** Runs a program of a page as a reader would, with the key `key_1` and the endpoint `whe_1`. */
export async function runProgram(
  language: Language,
  program: string,
  { api = 'https://api.example.com', env = {}, files = {} }: Surroundings,
): Promise<ProgramResult> {
  const { extension, command } = languages[language];
  const dir = await mkdtemp(join(tmpdir(), 'page-program-'));
  try {
    const name = `program.${extension}`;
    const source = program.replaceAll('https://api.example.com', api).replaceAll('whe_…', 'whe_1');
    for (const [file, contents] of Object.entries({ ...files, [name]: source })) {
      await writeFile(join(dir, file), contents);
    }
    const child = spawn(command, [name], {
      cwd: dir,
      env: { ...process.env, API_KEY: 'key_1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code: child.exitCode, lines: stdout.split('\n').slice(0, -1), stderr };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
