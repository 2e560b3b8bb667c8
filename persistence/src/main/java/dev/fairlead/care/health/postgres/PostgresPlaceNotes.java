package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.kernel.postgres.ChangeNotes;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

@Component
class PostgresPlaceNotes implements PlaceNotes {
  private final ChangeNotes notes;

  PostgresPlaceNotes(ChangeNotes notes) {
    this.notes = notes;
  }

  private record Seen(ChangeNotes.Position position) implements Position {}

  @Override
  public Delta since(@Nullable Position before) {
    ChangeNotes.Position earlier = before instanceof Seen seen ? seen.position() : null;
    ChangeNotes.Delta noted = notes.since(earlier, ChangeNotes.Kind.PLACE);
    return new Delta(!noted.complete() || !noted.ids().isEmpty(), new Seen(noted.position()));
  }
}
