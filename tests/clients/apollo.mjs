// Apollo Client: pages are merged in its cache, objects are kept by their id, and a mutation's answer updates a list.
import assert from "node:assert/strict";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";

const client = new ApolloClient({
  link: new HttpLink({ uri: process.argv[2] }),
  cache: new InMemoryCache({ typePolicies: { Query: { fields: { tasks: relayStylePagination(["filter"]) } } } }),
});
const TASKS = gql`
  query Tasks($after: String) {
    tasks(first: 10, after: $after, orderBy: { field: NAME }) {
      edges { cursor node { id name project latest { id number digest } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
    }
  }
`;
const watched = client.watchQuery({ query: TASKS });
await watched.result?.();
let { data } = await client.query({ query: TASKS });
while (data.tasks.pageInfo.hasNextPage) {
  await watched.fetchMore({ variables: { after: data.tasks.pageInfo.endCursor } });
  data = client.readQuery({ query: TASKS });
}
const names = data.tasks.edges.map((edge) => edge.node.name);
assert.equal(names.length, 25);
assert.deepEqual(names, [...new Set(names)].sort());
assert.equal(data.tasks.totalCount, 25);

const REPLACE = gql`
  mutation Replace($input: ReplaceTaskInput!) {
    replaceTask(input: $input) {
      outcome
      task { id project latest { id number digest } }
      errors { message code path }
    }
  }
`;
const input = { name: names[3], project: "from-apollo", task: { spec: { evaluator: { intent: "changed" } } } };
const replaced = await client.mutate({ mutation: REPLACE, variables: { input } });
assert.deepEqual(replaced.data.replaceTask.errors, []);
const changed = client.readQuery({ query: TASKS }).tasks.edges[3].node;
assert.equal(changed.project, "from-apollo");
assert.equal(changed.latest.number, 2);

const failed = await client.query({ query: gql`{ tasks(first: -1) { nodes { id } } }`, errorPolicy: "all" });
assert.equal(failed.error.errors[0].extensions.code, "BAD_USER_INPUT");
