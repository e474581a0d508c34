import { benchProgram } from '../tools/bench/program.ts';
import { messageWithCauses, runProgram } from '../tools/operator/cli/run-program.ts';

const program = benchProgram({
  out: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
});

await runProgram(program, { explain: messageWithCauses });
