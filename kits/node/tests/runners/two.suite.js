import { suite } from "./shared.js";

suite("two");
