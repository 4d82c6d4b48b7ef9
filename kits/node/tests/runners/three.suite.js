import { suite } from "./shared.js";

suite("three");
