// graphql-ws and graphql-sse on live subscriptions: events in order, an error, unsubscribing, and many at once.
import assert from "node:assert/strict";
import { createClient as createStreamClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import WebSocket from "ws";

const url = process.argv[2];
const socket = createSocketClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, retryAttempts: 0 });
const stream = createStreamClient({ url, retryAttempts: 0 });

for (const client of [socket, stream]) {
  const ticks = [];
  for await (const result of client.iterate({ query: "subscription { ticks(to: 5) }" })) ticks.push(result.data.ticks);
  assert.deepEqual(ticks, [1, 2, 3, 4, 5]);

  const codes = [];
  const refused = (errors) => codes.push(...errors.map((error) => error.extensions.code));
  try {
    for await (const result of client.iterate({ query: "subscription { nothing }" })) refused(result.errors);
  } catch (errors) {
    refused(errors);
  }
  assert.deepEqual(codes, ["GRAPHQL_VALIDATION_FAILED"]);

  for await (const result of client.iterate({ query: "subscription { quiet }" })) {
    assert.equal(result.data.quiet, 0);
    break;
  }

  const runs = Array.from({ length: 20 }, async () => {
    let count = 0;
    for await (const _ of client.iterate({ query: "subscription { ticks(to: 50) }" })) count += 1;
    return count;
  });
  assert.deepEqual(await Promise.all(runs), Array(20).fill(50));

  const answers = [];
  for await (const result of client.iterate({ query: "{ hello }" })) answers.push(result.data.hello);
  assert.deepEqual(answers, ["Hello, you!"]);
  await client.dispose();
}
