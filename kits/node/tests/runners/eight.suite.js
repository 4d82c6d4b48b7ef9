import { suite } from "./shared.js";

suite("eight");
