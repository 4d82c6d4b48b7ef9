#!/usr/bin/env node
import { run } from "../src/run.js";

run("svc-contract-tests");
