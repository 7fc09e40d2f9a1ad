// The complete introspection query of graphql-js; what it finds must be the checked-in schema.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from "graphql";

const [url, sdl] = process.argv.slice(2);
const query = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});
const response = await fetch(url, {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
  body: JSON.stringify({ query }),
});
const { data, errors } = await response.json();
assert.equal(errors, undefined);
const print = (schema) => printSchema(lexicographicSortSchema(schema));
assert.equal(print(buildClientSchema(data)), print(buildSchema(readFileSync(sdl, "utf8"))));
