package dev.fairlead.data.transfer;

import dev.fairlead.people.tenant.Project;
import java.time.Instant;

/** Transfers for tests. */
public final class Transfers {
  private static final Instant MADE = Instant.parse("2026-03-01T12:00:00Z");

  private Transfers() {}

  /** A new transfer, not stored. */
  public static Transfer copy(
      TransferId id, Project project, Transfer.Side source, Transfer.Side target) {
    return new Transfer(
        id,
        project.tenant(),
        project.id(),
        source,
        null,
        target,
        "eu-1",
        "",
        MADE,
        "ana",
        TransferStatus.first(TransferPhase.UPLOADING, MADE),
        1);
  }
}
