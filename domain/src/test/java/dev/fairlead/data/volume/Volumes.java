package dev.fairlead.data.volume;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.world.Stores;
import java.time.Instant;

/** Volumes for tests. */
public final class Volumes {
  private static final Instant MADE = Instant.parse("2026-03-01T12:00:00Z");

  private Volumes() {}

  public static Volume claimed(Stores stores, Project project, String name, boolean retain) {
    return Volume.claimed(
        stores.ids().next(),
        project.tenant(),
        project.id(),
        name,
        new Volume.Request(100, null, Volume.Access.READ_WRITE_MANY),
        retain,
        new Volume.Made(MADE, "ana"));
  }

  /** The same, stored. */
  public static Volume kept(Stores stores, Project project, String name) {
    Volume volume = claimed(stores, project, name, true);
    stores.volumes().insert(volume);
    return volume;
  }

  /** Stores its next state. */
  public static Volume stored(Stores stores, Volume next) {
    stores.volumes().update(next);
    return next;
  }
}
