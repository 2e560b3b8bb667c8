package dev.fairlead.bench.cases.form;

/** Judges cases of one {@code evaluation.mode}. */
public interface Mode {
  Verdict judge(Value scenario);
}
