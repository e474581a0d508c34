import { adminProgram } from '../tools/operator/cli/admin-program.ts';
import { runProgram } from '../tools/operator/cli/run-program.ts';

await runProgram(adminProgram((text) => process.stdout.write(text)));
