package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link PlaceNotes}. */
public final class MemoryPlaceNotes implements PlaceNotes {
  private final MemoryDatabase database;

  public MemoryPlaceNotes(MemoryDatabase database) {
    this.database = database;
  }

  private record Writes(long count) implements Position {}

  @Override
  public Delta since(@Nullable Position before) {
    Writes now = new Writes(database.call(database::places));
    return new Delta(!now.equals(before), now);
  }
}
