import { messageOf, runProgram } from '../../operator/run-program.ts';
import { outageProgram } from './outage-program.ts';

const setExitCode = (code: number) => {
  process.exitCode = code;
};

await runProgram(outageProgram({ print: console.log, setExitCode }), { explain: messageOf });
