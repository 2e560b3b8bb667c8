package dev.fairlead.care.booking.web;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingPurpose;
import dev.fairlead.care.booking.service.BookingDraft;
import dev.fairlead.fleet.node.Overrun;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.problem.ProblemCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads bookings as people write them. */
final class BookingReader {
  private static final int LONGEST_REASON = 500;
  private static final int LONGEST_NODE = 253;
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private BookingReader() {}

  /** The draft; only to be used when no problem was noted. */
  static BookingDraft read(Fields given) {
    Optional<String> name =
        given
            .required("name", "what people call it, such as demo-week.")
            .flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<BookingPurpose> purpose =
        given
            .required("purpose", "PROJECT or MAINTENANCE.")
            .flatMap(v -> v.choice(BookingPurpose.class));
    Optional<String> tenant = given.get("tenant").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> project = given.get("project").flatMap(v -> v.text(Names.LONGEST_LABEL));
    purpose.ifPresent(its -> ofProject(given, its));
    Optional<Instant> start = given.get("start").flatMap(v -> v.time());
    Optional<Instant> end = given.get("end").flatMap(v -> v.time());
    Optional<Duration> duration =
        given.get("duration").flatMap(v -> v.duration(SHORTEST, Booking.LONGEST));
    if (given.has("end") == given.has("duration")) {
      given.refuse(ProblemCode.INVALID_FIELD, "when it ends is missing: give end or duration");
    }
    Optional<List<String>> nodes =
        given.get("nodes").map(v -> v.texts(Booking.MOST_NODES, LONGEST_NODE));
    Optional<Integer> count = given.get("count").flatMap(v -> v.integer(1, Booking.MOST_NODES));
    if (given.has("nodes") == given.has("count")) {
      given.refuse(
          ProblemCode.INVALID_FIELD,
          "which nodes is missing: give nodes by name, or count with cluster, pool or model");
    }
    if (nodes.isPresent() && nodes.get().isEmpty()) {
      given.refuse("nodes", ProblemCode.INVALID_FIELD, "must name at least one node", null);
    }
    Optional<String> cluster = given.get("cluster").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> pool = given.get("pool").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> model = given.get("model").flatMap(v -> v.text(Names.LONGEST_LABEL));
    if (count.isPresent() && cluster.isEmpty() && pool.isEmpty() && model.isEmpty()) {
      given.refuse(
          "count",
          ProblemCode.INVALID_FIELD,
          "no nodes are selected: give cluster, pool, model or several",
          null);
    }
    Optional<Overrun> overrun =
        given.get("overrun").flatMap(v -> v.choice(List.of(Overrun.FINISH, Overrun.EVICT)));
    Optional<String> reason = given.get("reason").flatMap(v -> v.text(LONGEST_REASON));
    given.done();
    return new BookingDraft(
        name.orElse(""),
        purpose.orElse(BookingPurpose.MAINTENANCE),
        tenant.orElse(null),
        project.orElse(null),
        start.orElse(null),
        end.orElse(null),
        duration.orElse(null),
        nodes.orElse(null),
        cluster.orElse(null),
        pool.orElse(null),
        model.orElse(null),
        count.orElse(1),
        overrun.orElse(Overrun.FINISH),
        reason.orElse(""));
  }

  private static void ofProject(Fields given, BookingPurpose purpose) {
    boolean forProject = purpose == BookingPurpose.PROJECT;
    if (forProject && !given.has("project")) {
      given.refuse(ProblemCode.INVALID_FIELD, "project is missing: a PROJECT booking names it");
    }
    for (String field : List.of("project", "tenant")) {
      if (!forProject && given.has(field)) {
        given.refuse(
            field,
            ProblemCode.CONFLICTING_FIELDS,
            "a booking for MAINTENANCE is of no " + field + ": leave it out",
            null);
      }
    }
  }
}
