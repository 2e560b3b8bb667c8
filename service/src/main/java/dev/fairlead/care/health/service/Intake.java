package dev.fairlead.care.health.service;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.fleet.cluster.Cluster;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Answer to one event.
 *
 * @param outcome whether the event was stored
 * @param verdict null if the event was not judged
 * @param incident incident that the event opened or joined, null if none
 * @param detail explanation
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
          "an event with this id is already stored, or it belongs to a stored burst");

  /** Returns the response to an event with a time in the future. */
  static Intake ahead(HealthEvent event, Instant now) {
    return new Intake(
        Outcome.REFUSED,
        null,
        null,
        "at is " + event.at() + ", and it is " + now + " here. Correct the clock of the sender.");
  }

  static String noNode(Judgement judgement, Cluster cluster, HealthEvent event) {
    return judgement.cause() + ": cluster " + cluster.name() + " has no node " + event.node();
  }

  static String nothing(Judgement judgement) {
    return judgement.cause() + ": takes nothing out of service";
  }

  /** Outcome for the event. */
  public enum Outcome {
    STORED,
    /**
     * The event id is stored already, or the event belongs to a stored burst. The report had no
     * effect.
     */
    DUPLICATE,
    /** The time of the event is in the future. The report had no effect. */
    REFUSED
  }
}
