import { suite } from "./shared.js";

suite("one");
