import { outageProgram } from './outage-program.ts';

const setExitCode = (code: number) => {
  process.exitCode = code;
};

await outageProgram({ print: console.log, setExitCode }).parseAsync();
