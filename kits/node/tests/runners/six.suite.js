import { suite } from "./shared.js";

suite("six");
