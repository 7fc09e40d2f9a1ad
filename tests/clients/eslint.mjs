// graphql-eslint's recommended rules for schemas; two of them the contract leaves on purpose.
import { readFileSync } from "node:fs";
import plugin from "@graphql-eslint/eslint-plugin";
import { ESLint } from "eslint";

const sdl = process.argv[2];
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ["**/*.graphql"],
      plugins: { "@graphql-eslint": plugin },
      languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: sdl } } },
      rules: {
        ...plugin.configs["flat/schema-recommended"].rules,
        "@graphql-eslint/strict-id-in-types": "off",
        "@graphql-eslint/no-typename-prefix": "off",
      },
    },
  ],
});
const results = await eslint.lintText(readFileSync(sdl, "utf8"), { filePath: "schema.graphql" });
const messages = results.flatMap((result) => result.messages);
for (const { line, ruleId, message } of messages) console.error(`${line}: ${ruleId}: ${message}`);
if (messages.length > 0) process.exit(1);
