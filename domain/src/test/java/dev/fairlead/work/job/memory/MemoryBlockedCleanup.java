package dev.fairlead.work.job.memory;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.event.EventRecord;
import java.util.Map;

/** The cleanup that an event of a job reports as blocked. */
final class MemoryBlockedCleanup {
  private MemoryBlockedCleanup() {}

  static BlockedCleanup of(EventRecord event) {
    Map<String, Object> data = event.fact().data();
    return new BlockedCleanup(
        new AttemptId(
            IdText.decode(IdKind.ATTEMPT, String.valueOf(data.get("attempt"))).orElseThrow()),
        new JobId(event.subjectId()),
        event.at(),
        String.valueOf(data.get("message")));
  }
}
