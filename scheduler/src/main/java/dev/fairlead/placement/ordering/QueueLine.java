package dev.fairlead.placement.ordering;

import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.world.World;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The jobs of one queue that may start, in their order. */
public final class QueueLine {
  private final QuotaNode queue;
  private final boolean strict;
  private final List<Waiting> line = new ArrayList<>();
  private final @Nullable UserTurns byUser;
  private int head;
  private boolean blocked;

  QueueLine(QuotaNode queue) {
    this.queue = queue;
    QueueSettings settings = queue.queue();
    strict = settings != null && settings.order() == QueueSettings.Order.STRICT_FIFO;
    byUser = settings != null && settings.fairByUser() ? new UserTurns() : null;
  }

  /** An attempt that runs in it. */
  void runs(World.LiveAttempt live) {
    if (byUser != null) {
      byUser.runs(live);
    }
  }

  boolean fairByUser() {
    return byUser != null;
  }

  /** One more, in the order of {@link Waiting#ORDER}. */
  void add(Waiting waiting) {
    line.add(waiting);
    if (byUser != null) {
      byUser.add(waiting);
    }
  }

  /** GPUs that its jobs wait for, in thousandths; of a job every element that may start. */
  public long waitingGpuMilli() {
    long milli = 0;
    for (Waiting waiting : line) {
      milli += waiting.gpuMilli();
    }
    return milli;
  }

  public QuotaNode queue() {
    return queue;
  }

  /** Whether nobody passes a head that waits. */
  public boolean strict() {
    return strict;
  }

  /** Its head waits, so those behind it do too. */
  public void block() {
    blocked |= strict;
  }

  public boolean blocked() {
    return blocked;
  }

  /**
   * The first job that has not had its turn, null for none. Nobody passes one for whom a place is
   * kept in a strict queue.
   */
  public @Nullable Waiting head() {
    if (byUser != null) {
      return byUser.head(this::block);
    }
    while (head < line.size() && line.get(head).done()) {
      if (line.get(head).awaits()) {
        block();
      }
      head++;
    }
    return head < line.size() ? line.get(head) : null;
  }
}
