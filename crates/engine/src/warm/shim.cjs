// Keeps Node ready for one event of one hook script: Node has started, and waits here, before the script is loaded. What it
// then loads, runs and ends is the same as in a cold start.
//
// `node --require SHIM SCRIPT`, with the number of a socket in ANYHOOK_WARM
'use strict';
{
  const fs = require('fs');
  const socket = Number(process.env.ANYHOOK_WARM);
  fs.writeSync(socket, '\n');
  const pieces = [];
  const piece = Buffer.alloc(1 << 16);
  let ended = false;
  while (!ended) {
    const count = fs.readSync(socket, piece, 0, piece.length, null);
    if (count === 0) process.exit(0);
    pieces.push(Buffer.from(piece.subarray(0, count)));
    ended = piece[count - 1] === 10;
  }
  fs.closeSync(socket);
  const order = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of order.env) process.env[name] = value;
  process.chdir(order.cwd);
  process.argv.splice(2, process.argv.length, ...order.args.slice(1));
  process.execArgv.length = 0;
  delete require.cache[__filename];
}
