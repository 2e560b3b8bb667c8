package dev.fairlead.job.web;

import dev.fairlead.event.EventRecord;
import dev.fairlead.identity.IdKind;
import dev.fairlead.identity.IdText;
import java.time.Instant;
import java.util.Locale;
import java.util.SortedMap;
import java.util.UUID;

/**
 * A fact that was stored.
 *
 * @param type past tense, for example {@code JobAdmitted}
 * @param data details of the fact
 */
record EventResponse(
    String id,
    Instant at,
    String type,
    Subject subject,
    String actor,
    SortedMap<String, Object> data) {
  /** What it tells of, with the version after the change. */
  record Subject(String type, String id, long version) {}

  static EventResponse of(EventRecord event) {
    IdKind kind = event.subject();
    UUID position = new UUID(event.position().transaction(), event.position().sequence());
    return new EventResponse(
        IdKind.EVENT.prefix() + "_" + IdText.encode(position),
        event.at(),
        event.fact().type(),
        new Subject(
            kind.name().toLowerCase(Locale.ROOT),
            kind.prefix() + "_" + IdText.encode(event.subjectId()),
            event.version()),
        event.actor(),
        event.fact().data());
  }
}
