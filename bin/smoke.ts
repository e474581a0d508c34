import { onStop, outliveOutput } from '../tools/local/stack/when-to-stop.ts';
import { runProgram } from '../tools/operator/cli/run-program.ts';
import { smokeProgram } from '../tools/smoke/smoke-program.ts';

const stopping = new AbortController();
outliveOutput();
onStop(
  () => {
    process.stderr.write('Stopping: removing the test customers first\n');
    stopping.abort();
  },
  { script: 'bin/smoke.ts' },
);

await runProgram(
  smokeProgram({
    print: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    signal: stopping.signal,
  }),
);
process.exit();
