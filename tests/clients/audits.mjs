// The reference audits of GraphQL over HTTP; every one must be "ok".
import { serverAudits } from "graphql-http";

const results = await Promise.all(serverAudits({ url: process.argv[2] }).map((audit) => audit.fn()));
const failed = results.filter((result) => result.status !== "ok");
for (const result of failed) console.error(result.id, result.status, result.name, result.reason);
if (results.length !== 61 || failed.length > 0) process.exit(1);
