import { suite } from "./shared.js";

suite("five");
