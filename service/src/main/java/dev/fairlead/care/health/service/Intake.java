package dev.fairlead.care.health.service;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.fleet.cluster.Cluster;
import java.time.Instant;
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
  static final Intake REPEAT =
      new Intake(
          Outcome.DUPLICATE,
          null,
          null,
          "an event of this id is stored already, or it lies within a burst that is");

  /** Of an event from the future. */
  static Intake ahead(HealthEvent event, Instant now) {
    return new Intake(
        Outcome.REFUSED,
        null,
        null,
        "at is " + event.at() + ", and it is " + now + " here. Set the clock of the sender.");
  }

  static String noNode(Judgement judgement, Cluster cluster, HealthEvent event) {
    return judgement.cause() + ": cluster " + cluster.name() + " has no node " + event.node();
  }

  static String nothing(Judgement judgement) {
    return judgement.cause() + ": takes nothing out of use";
  }

  /** What became of it. */
  public enum Outcome {
    STORED,
    /** One of its id, or the burst that it lies in, was stored before; nothing was done. */
    DUPLICATE,
    /** Its time is in the future; nothing was done. */
    REFUSED
  }
}
