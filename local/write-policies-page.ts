// `npm run docs:policies`: writes docs/policies.md from the rules.
import fs from "node:fs";
import { policiesPage } from "./policies-page.ts";

fs.writeFileSync(new URL("../docs/policies.md", import.meta.url), policiesPage());
