import { emitProgram } from '../operator/emit-program.ts';
import { runProgram } from '../operator/run-program.ts';

await runProgram(emitProgram((text) => process.stdout.write(text)));
