// graphql-code-generator's client preset over the schema, and TypeScript over what it wrote.
import { execFileSync } from "node:child_process";
import { generate } from "@graphql-codegen/cli";

const [sdl, out] = process.argv.slice(2);
await generate(
  {
    schema: sdl,
    documents: `${out}/*.ts`,
    silent: true,
    generates: {
      [`${out}/generated/`]: {
        preset: "client",
        config: { scalars: { DateTime: "string", JSON: "unknown", BigInt: "number" }, useTypeImports: true },
      },
    },
  },
  true,
);
const options = ["--noEmit", "--strict", "--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022"];
execFileSync("node_modules/.bin/tsc", [...options, "--skipLibCheck", `${out}/tasks.ts`], { stdio: "inherit" });
