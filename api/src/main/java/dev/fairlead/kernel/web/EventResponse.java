package dev.fairlead.kernel.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.work.event.EventContext;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stored event.
 *
 * @param type name of the event in the past tense, for example {@code JobAdmitted}
 * @param job job of the event as of the change, null for an event of a budget or the fleet
 * @param data details of the event
 */
public record EventResponse(
    String id,
    Instant at,
    String type,
    Subject subject,
    String actor,
    @Nullable EventJob job,
    SortedMap<String, Object> data) {
  /** The object of the event, with its version after the change. */
  public record Subject(String type, String id, long version) {}

  /**
   * The job of an event.
   *
   * @param name name of the job
   * @param project name of the project
   * @param user submitter of the job
   * @param place place of the attempt of the event, null for an event without an attempt
   */
  public record EventJob(String name, String project, String user, @Nullable EventPlace place) {
    static @Nullable EventJob of(@Nullable EventContext context) {
      return context == null
          ? null
          : new EventJob(context.job(), context.project(), context.user(), EventPlace.of(context));
    }
  }

  /**
   * The place of an attempt.
   *
   * @param cluster name of the cluster
   * @param nodes names of the first 16 nodes
   * @param nodeCount number of all nodes
   */
  public record EventPlace(String cluster, List<String> nodes, int nodeCount) {
    static @Nullable EventPlace of(EventContext context) {
      String cluster = context.cluster();
      return cluster == null ? null : new EventPlace(cluster, context.nodes(), context.nodeCount());
    }
  }

  public static EventResponse of(EventRecord event) {
    IdKind kind = event.subject();
    return new EventResponse(
        id(event.position()),
        event.at(),
        event.fact().type(),
        new Subject(
            kind.name().toLowerCase(Locale.ROOT),
            kind.prefix() + "_" + IdText.encode(event.subjectId()),
            event.version()),
        event.actor(),
        EventJob.of(event.context()),
        event.fact().data());
  }

  /** A position in its opaque form for callers, with the same length for all. */
  public static String id(EventPosition position) {
    UUID both = new UUID(position.transaction(), position.sequence());
    return IdKind.EVENT.prefix() + "_" + IdText.encode(both);
  }

  /**
   * @param parameter name of the parameter or header with the text
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_PARAMETER if the text is not the id of an
   *     event
   */
  public static EventPosition position(String parameter, String text) {
    return IdText.decode(IdKind.EVENT, text)
        .map(both ->
            new EventPosition(both.getMostSignificantBits(), both.getLeastSignificantBits()))
        .orElseThrow(
            () -> Parameters.refused(parameter, "must be the id of an event, such as evt_01k..."));
  }
}
