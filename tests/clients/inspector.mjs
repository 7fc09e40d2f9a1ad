// graphql-inspector: no change against itself, and the documents of clients are valid against the schema.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { diff, validate } from "@graphql-inspector/core";
import { buildSchema, Source } from "graphql";

const [sdl, documents] = process.argv.slice(2);
const schema = buildSchema(readFileSync(sdl, "utf8"));
assert.deepEqual(await diff(schema, buildSchema(readFileSync(sdl, "utf8"))), []);
const sources = readdirSync(documents, { recursive: true })
  .filter((name) => name.endsWith(".graphql"))
  .map((name) => new Source(readFileSync(`${documents}/${name}`, "utf8"), name));
assert.ok(sources.length > 0);
assert.deepEqual(validate(schema, sources), []);
