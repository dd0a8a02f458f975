#!/usr/bin/env node
// A verifier behind specsim's wire protocol. Judge it: specsim check ./engine.js

function draw(weights, coin) {
  let sum = 0;
  const cdf = weights.map((w) => (sum += w));
  return cdf.findIndex((c) => c > coin * sum);
}

function verify(p, q, tokens, accept, sample) {
  for (const [i, x] of tokens.entries()) {
    if (accept[i] * q[i][x] >= p[i][x]) {
      const left = p[i].map((w, y) => Math.max(w - q[i][y], 0));
      return [...tokens.slice(0, i), draw(left.some((w) => w) ? left : p[i], sample[i])];
    }
  }
  return [...tokens, draw(p[tokens.length], sample[tokens.length])];
}

const about = { name: "mine", version: "0.1", language: "javascript" };
const start = { protocol: 1, engine: about, operations: { verify: ["coins"] } };
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { seq, cases = [] } = JSON.parse(line);
  const blocks = cases.flatMap((c) =>
    c.accept.map((accept, i) => verify(c.p, c.q, c.tokens, accept, c.sample[i])));
  console.log(JSON.stringify(seq ? { seq, blocks } : start));
});
