// `npm run docs:lakes`: writes docs/lakes.md from the model.
import fs from "node:fs";
import { lakesPage } from "./lakes-page.ts";

fs.writeFileSync(new URL("../docs/lakes.md", import.meta.url), lakesPage());
