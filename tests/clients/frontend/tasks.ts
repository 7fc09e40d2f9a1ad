import { graphql } from "./generated";
import type { TasksQuery } from "./generated/graphql";

export const TASKS = graphql(`
  query Tasks($first: Int!, $after: String) {
    tasks(first: $first, after: $after) {
      nodes {
        id
        name
        latest {
          digest
          metadata {
            key
            value
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export function names(data: TasksQuery): string[] {
  return data.tasks.nodes.map((task) => task.name);
}

export function next(data: TasksQuery): string | null | undefined {
  return data.tasks.pageInfo.hasNextPage ? data.tasks.pageInfo.endCursor : null;
}
