package dev.fairlead.verify.engine.cases.form;

/** Judges cases of one {@code evaluation.mode}. */
public interface Mode {
  Verdict judge(Value scenario);
}
