"use strict";

const EXAMPLE = `# Pinset keeps evaluation tasks, pins them by digest, and runs jobs over them.
# Ctrl-Space completes, Ctrl-Enter runs, the book on the left is the documentation.
# Where the server demands a token, put it under "Headers": {"Authorization": "Bearer <token>"}

query Tasksets {
  tasksets(first: 10) {
    totalCount
    nodes {
      ref
      latest {
        number
        digest
        memberCount
      }
    }
  }
}
`;

const socketUrl = new URL("/graphql", window.location.href);
socketUrl.protocol = socketUrl.protocol === "https:" ? "wss:" : "ws:";

const fetcher = GraphiQL.createFetcher({ url: "/graphql", subscriptionUrl: socketUrl.href });

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher,
    defaultQuery: EXAMPLE,
    defaultEditorToolsVisibility: "variables",
    shouldPersistHeaders: false,
  }),
);
