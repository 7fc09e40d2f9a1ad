// Revisions as they are published: both stream clients hear of a mutation that Apollo's plain HTTP would send.
import assert from "node:assert/strict";
import { createClient as createStreamClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import WebSocket from "ws";

const url = process.argv[2];
const SUBSCRIBE = "subscription { revisionPublished { __typename ref number ... on TaskRevision { task { name } } } }";
const REPLACE = `mutation ($input: ReplaceTaskInput!) { replaceTask(input: $input) { outcome errors { message } } }`;

async function replace(intent) {
  const variables = { input: { name: "task-00", task: { spec: { evaluator: { intent } } } } };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
    body: JSON.stringify({ query: REPLACE, variables }),
  });
  const { data } = await response.json();
  assert.deepEqual(data.replaceTask.errors, []);
}

const clients = [
  createSocketClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, retryAttempts: 0 }),
  createStreamClient({ url, retryAttempts: 0 }),
];
for (const [index, client] of clients.entries()) {
  const events = client.iterate({ query: SUBSCRIBE });
  const first = events.next();
  let published = 0;
  // The stream is open once an event arrives; until then each attempt publishes something new.
  let event;
  do {
    await replace(`by client ${index}, attempt ${published++}`);
    event = await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 500))]);
  } while (event === undefined && published < 20);
  assert.equal(event.value.errors, undefined);
  const revision = event.value.data.revisionPublished;
  assert.equal(revision.__typename, "TaskRevision");
  assert.equal(revision.task.name, "task-00");
  await events.return();
  await client.dispose();
}
