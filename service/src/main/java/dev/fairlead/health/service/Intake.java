package dev.fairlead.health.service;

import dev.fairlead.health.Incident;
import dev.fairlead.health.Judgement;
import org.jspecify.annotations.Nullable;

/**
 * What came of one event.
 *
 * @param outcome whether it is stored now
 * @param verdict null for one that was not judged
 * @param incident the one that it opened or joined, null for none
 * @param detail in words
 */
public record Intake(
    Outcome outcome,
    Judgement.@Nullable Verdict verdict,
    @Nullable Incident incident,
    String detail) {
  /** What became of it. */
  public enum Outcome {
    STORED,
    /** One of its id was stored before; nothing was done. */
    DUPLICATE,
    /** Its time is in the future; nothing was done. */
    REFUSED
  }
}
