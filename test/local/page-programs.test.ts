import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { problem, problemDocument } from '#shared/contract/problem.ts';
import { signatureHeader } from '#shared/domain/signature.ts';
import { makeSigningSecret } from '#shared/domain/signing-secret.ts';
import { blockAfter } from '../support/docs/page-blocks.ts';
import { type ScriptedAnswer, startScriptedApi } from '../support/http/scripted-api.ts';

/** The languages of programs in pages, and how each is run. */
const languages = {
  shell: { extension: 'sh', needs: ['curl', 'jq', 'openssl'], command: 'sh' },
  javascript: { extension: 'mjs', needs: [], command: process.execPath },
  python: { extension: 'py', needs: ['python3'], command: 'python3' },
} as const;

type Language = keyof typeof languages;

type ProgramResult = {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
};

function isInstalled(language: Language): boolean {
  return languages[language].needs.every((program) => spawnSync(program, ['--version']).error === undefined);
}

/** The program that follows `<!-- program: <name> -->` on a page. @throws Error if there is none */
function readProgram(page: string, name: string): string {
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
async function runProgram(
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
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, lines: stdout.split('\n').slice(0, -1), stderr };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** What the service answers. */
function failure(given: ReturnType<typeof problem>): ScriptedAnswer {
  const { retryAfter } = given;
  return {
    status: given.status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    body: problemDocument(given, 'https://api.example.com/docs', 'request-1'),
  };
}

/** Timers may fire a little early. */
const oneSecond = 990;
const limited = failure(problem('rate_limit_exceeded', { limit: 60, retryAfter: 1 }));
const unavailable = failure(problem('internal_error'));
const delivery = (id: string) => ({ id, error: 'No response' });

describe.concurrent.each<Language>(['shell', 'javascript', 'python'])(
  'docs/pages/paging-and-limits.md in %s',
  (language) => {
    describe.runIf(isInstalled(language))('with its programs on this machine', () => {
      it('reads every page, also after an empty one, and waits when the limit is reached', async () => {
        const list = '/v1/webhooks/whe_1/deliveries';
        await using api = await startScriptedApi([
          { body: { items: [delivery('whd_3'), delivery('whd_2')], next_cursor: 'second' } },
          limited,
          { body: { items: [], next_cursor: 'third' } },
          unavailable,
          { body: { items: [delivery('whd_1')], next_cursor: null } },
        ]);

        const program = readProgram('paging-and-limits.md', language);
        const result = await runProgram(language, program, { api: api.url });

        expect(result.lines).toEqual(['whd_3\tNo response', 'whd_2\tNo response', 'whd_1\tNo response']);
        expect(result.code).toBe(0);
        const queries = api.requests.map(({ path = '' }) => {
          const { pathname, searchParams } = new URL(path, api.url);
          return [pathname, Object.fromEntries(searchParams)];
        });
        const page = (more: object) => [list, { status: 'failed', limit: '100', ...more }];
        const [first, second, third] = [page({}), page({ cursor: 'second' }), page({ cursor: 'third' })];
        expect(queries).toEqual([first, second, second, third, third]);
        expect(new Set(api.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer key_1']));
        expect(api.requests[2]?.after).toBeGreaterThanOrEqual(oneSecond);
        expect(api.requests[4]?.after).toBeGreaterThanOrEqual(oneSecond);
      });

      it('ends with an error when the request is wrong, without repeating it', async () => {
        await using api = await startScriptedApi([failure(problem('invalid_key'))]);

        const program = readProgram('paging-and-limits.md', language);
        const result = await runProgram(language, program, { api: api.url });

        expect(result.code).not.toBe(0);
        expect(result.stderr).toContain('401');
        expect(api.requests).toHaveLength(1);
      });
    });
  },
);

const registered = { webhook: { id: 'whe_1', status: 'active' }, secret: 'whsec_1' };
const badUrl = {
  detail: 'The URL must use https',
  errors: [{ pointer: '/url', detail: 'The URL must use https' }],
};

describe.concurrent.each<Language>(['javascript', 'python'])('docs/pages/errors.md in %s', (language) => {
  describe.runIf(isInstalled(language))('with its programs on this machine', () => {
    it.each([
      {
        what: 'waits when the limit is reached, then succeeds',
        answers: [limited, { status: 201, body: registered }],
        lines: ['Endpoint whe_1 is active. Store its secret: whsec_1'],
      },
      {
        what: 'names the fault of an invalid request, and does not repeat it',
        answers: [failure(problem('invalid_request', badUrl))],
        lines: ['/url: The URL must use https'],
      },
      {
        what: 'says that all endpoints are in use',
        answers: [failure(problem('webhook_limit_exceeded', { limit: 5 }))],
        lines: ['All 5 endpoints are in use: delete one first'],
      },
    ])('$what', async ({ answers, lines }) => {
      await using api = await startScriptedApi(answers);

      const result = await runProgram(language, readProgram('errors.md', language), { api: api.url });

      expect(result.lines).toEqual(lines);
      expect(result.code).toBe(0);
      expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
        answers.map(() => 'POST /v1/webhooks'),
      );
    });

    it('repeats a registration that failed inside the service or whose answer was lost, with its key', async () => {
      await using api = await startScriptedApi([
        unavailable,
        { isLost: true, body: null },
        { status: 201, body: registered },
      ]);

      const result = await runProgram(language, readProgram('errors.md', language), { api: api.url });

      expect(result.lines).toEqual(['Endpoint whe_1 is active. Store its secret: whsec_1']);
      const keys = api.requests.map(({ idempotencyKey }) => idempotencyKey);
      expect(keys).toEqual([keys[0], keys[0], keys[0]]);
      expect(keys[0]).toMatch(/^[!-~]{1,255}$/);
    });
  });
});

describe.runIf(isInstalled('shell'))('docs/pages/retries-and-replay.md in a shell', () => {
  it('replays each delivery that failed since a time, on every page, under a key that stays', async () => {
    const replayOf = (id: string) => ({ status: 202, body: { delivery: { id: `${id}r`, replay_of: id } } });
    await using api = await startScriptedApi([
      { body: { items: [{ id: 'whd_3' }], next_cursor: 'second' } },
      unavailable,
      replayOf('whd_3'),
      { body: { items: [{ id: 'whd_2' }], next_cursor: null } },
      replayOf('whd_2'),
    ]);

    const program = readProgram('retries-and-replay.md', 'shell');
    const result = await runProgram('shell', program, { api: api.url });

    const deliveries = '/v1/webhooks/whe_1/deliveries';
    expect(result.lines).toEqual(['whd_3 is sent again as whd_3r', 'whd_2 is sent again as whd_2r']);
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${deliveries}?status=failed&created_after=2026-11-20T09:00:00Z&limit=100`,
      `POST ${deliveries}/whd_3/replay`,
      `POST ${deliveries}/whd_3/replay`,
      `GET ${deliveries}?status=failed&created_after=2026-11-20T09:00:00Z&limit=100&cursor=second`,
      `POST ${deliveries}/whd_2/replay`,
    ]);
    const keys = api.requests.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([undefined, 'again-whd_3', 'again-whd_3', undefined, 'again-whd_2']);
    expect(Math.min(...api.requests.slice(1).map(({ after }) => after))).toBeGreaterThanOrEqual(oneSecond);
  });
});

describe.runIf(isInstalled('shell'))('docs/pages/troubleshooting.md in a shell', () => {
  it('computes the signature of a body by hand', async () => {
    const secret = makeSigningSecret(new Uint8Array(32));
    const body = '{"id":"evt_1","title":"Ä"}';
    const header = signatureHeader([secret], Buffer.from(body), 1_795_167_000_000);

    const program = readProgram('troubleshooting.md', 'signature');
    const result = await runProgram('shell', program, {
      env: { SECRET: secret },
      files: { 'body.json': body },
    });

    expect(result.stderr).toBe('');
    expect(header).toBe(`t=1795167000,v1=${result.lines[0]?.split('= ')[1]}`);
  });
});
