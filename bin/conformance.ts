import { conformanceProgram } from '../tools/conformance/program.ts';
import { messageOf, runProgram } from '../tools/operator/cli/run-program.ts';

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

// A check that failed has exit code 1, so a suite that could not run has another.
await runProgram(program, { explain: messageOf, failureCode: 2 });
