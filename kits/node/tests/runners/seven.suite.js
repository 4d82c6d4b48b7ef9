import { suite } from "./shared.js";

suite("seven");
