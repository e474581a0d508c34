import { benchProgram } from '../tools/bench/program.ts';
import { messageWithCauses, runProgram } from '../tools/operator/cli/run-program.ts';

await runProgram(benchProgram(), { explain: messageWithCauses });
