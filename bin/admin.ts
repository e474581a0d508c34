import { adminProgram } from '../operator/admin-program.ts';
import { runProgram } from '../operator/run-program.ts';

await runProgram(adminProgram((text) => process.stdout.write(text)));
