import { graphql } from "react-relay";

export const query = graphql`
  query TaskListQuery($count: Int!, $cursor: String) {
    ...TaskList_tasks @arguments(count: $count, cursor: $cursor)
    node(id: "x") {
      ...TaskList_task @alias
    }
  }
`;

export const tasks = graphql`
  fragment TaskList_tasks on Query
  @refetchable(queryName: "TaskListPaginationQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" }) {
    tasks(first: $count, after: $cursor) @connection(key: "TaskList_tasks") {
      edges {
        node {
          id
          ...TaskList_task
        }
      }
    }
  }
`;

export const task = graphql`
  fragment TaskList_task on Task {
    name
    latest {
      digest
      spec {
        kind
        ... on EvaluatorTaskSpec {
          intent
        }
      }
    }
  }
`;

export const replace = graphql`
  mutation TaskListReplaceMutation($input: ReplaceTaskInput!) {
    replaceTask(input: $input) {
      task {
        ...TaskList_task
      }
      errors {
        message
        code
        path
      }
    }
  }
`;
