package dev.fairlead.bench.cases;

/** Judges cases of one {@code evaluation.mode}. */
interface Mode {
  Verdict judge(Value scenario);
}
