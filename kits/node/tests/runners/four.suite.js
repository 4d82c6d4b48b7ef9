import { suite } from "./shared.js";

suite("four");
