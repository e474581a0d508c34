// `npm start` and `npm test` begin with this, in JavaScript that old releases read.
const [major, minor] = process.versions.node.split('.').map(Number);

// Node.js can add trusted certificates at run time since version 24.5.
if (major < 24 || (major === 24 && minor < 5)) {
  process.stderr.write(
    `Node.js ${process.versions.node} is too old: this runs on the Node.js 24 that a script of npm ci installs. ` +
      "If npm's ignore-scripts is on, run npm ci --ignore-scripts=false\n",
  );
  process.exit(1);
}
