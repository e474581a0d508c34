import { conformanceProgram } from '../conformance/program.ts';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

const program = conformanceProgram({
  out: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
  setExitCode: (code) => {
    process.exitCode = code;
  },
  signal: stopped.signal,
});

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
