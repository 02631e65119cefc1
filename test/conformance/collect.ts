// `collect.ts LAB FOLDER TEST`: run by the suite when a test has failed and its objects are still there.
import path from "node:path";
import { openLab } from "../lab/index.ts";
import { collect } from "./diagnosis.ts";

const [name = "", folder = "", test = ""] = process.argv.slice(2);
await collect(openLab({ name }), path.join(folder, test));
