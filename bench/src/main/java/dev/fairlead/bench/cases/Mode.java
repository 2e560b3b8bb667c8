package dev.fairlead.bench.cases;

/** How cases of one {@code evaluation.mode} are judged. */
interface Mode {
  Verdict judge(Value scenario);
}
