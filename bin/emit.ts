import { runProgram } from '../tools/operator/cli/run-program.ts';
import { emitProgram } from '../tools/operator/emit/emit-program.ts';

await runProgram(emitProgram((text) => process.stdout.write(text)));
