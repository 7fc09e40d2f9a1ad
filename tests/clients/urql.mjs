// urql with its normalised cache, made aware of the schema by introspection.
import assert from "node:assert/strict";
import { Client, fetchExchange, gql } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { getIntrospectionQuery } from "graphql";

const url = process.argv[2];
const answer = await fetch(url, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query: getIntrospectionQuery() }),
});
const schema = (await answer.json()).data;
const warnings = [];
const keyless = Object.fromEntries(
  schema.__schema.types
    .filter((type) => type.kind === "OBJECT" && !type.fields.some((field) => field.name === "id"))
    .map((type) => [type.name, () => null]),
);
const cache = cacheExchange({
  schema,
  keys: keyless,
  resolvers: { Query: { tasks: relayPagination() } },
  logger: (severity, message) => severity !== "debug" && warnings.push(`${severity}: ${message}`),
});
const client = new Client({ url, exchanges: [cache, fetchExchange], preferGetMethod: false });
const TASKS = gql`
  query Tasks($after: String) {
    tasks(first: 10, after: $after, orderBy: { field: NAME }) {
      edges { node { id name latest { id number } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
let result = await client.query(TASKS, {}).toPromise();
assert.equal(result.error, undefined);
while (result.data.tasks.pageInfo.hasNextPage) {
  result = await client.query(TASKS, { after: result.data.tasks.pageInfo.endCursor }).toPromise();
  assert.equal(result.error, undefined);
}
assert.equal(new Set(result.data.tasks.edges.map((edge) => edge.node.id)).size, 25);
assert.deepEqual(warnings, []);
